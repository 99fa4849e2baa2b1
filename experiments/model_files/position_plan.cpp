#include "experiments/model_files/position_plan.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/encodings/rope_settings.h"

namespace orrery {
namespace {

auto values_of(const LayerPlan& l) {
  return std::tie(l.encoding, l.beside, l.rope, l.params, l.inv_freq, l.attention_factor,
                  l.softmax_scale, l.window, l.window_in_blocks, l.temperature, l.causal,
                  l.indexer);
}

/// Base and pairing are told apart from other settings, and lists of factors have no reason of
/// their own.
bool is_given(const LayerPlan& layer, const PlannedSetting& setting) {
  const bool is_list = std::holds_alternative<std::vector<double>>(setting.second);
  return setting.first != "base" && (is_list || layer.reasons.contains(setting.first));
}

}  // namespace

bool chooses_by_length(const LayerPlan& layer) {
  const RopeScalingKind kind = layer.rope.scaling.kind;
  return layer.encoding == "rope" &&
         (kind == RopeScalingKind::dynamic_ntk || kind == RopeScalingKind::longrope);
}

bool computes_same(const LayerPlan& a, const LayerPlan& b) { return values_of(a) == values_of(b); }

std::vector<PlannedSetting> settings_of(const LayerPlan& layer) {
  if (layer.encoding != "rope") return layer.params;
  std::vector<PlannedSetting> settings, all = orrery::settings_of(layer.rope);
  for (PlannedSetting& setting : all)
    if (is_given(layer, setting)) settings.push_back(std::move(setting));
  settings.insert(settings.end(), layer.params.begin(), layer.params.end());
  if (layer.rope.rotary_dims < layer.rope.d_head)
    settings.emplace_back("rope.fraction", *find_rope_setting("rope.fraction")->value(layer.rope));
  return settings;
}

std::optional<ParamValue> find_param(const LayerPlan& layer, const std::string& key) {
  for (PlannedSetting& setting : settings_of(layer))
    if (setting.first == key) return std::move(setting.second);
  return std::nullopt;
}

void assume(std::vector<std::string>& assumed, std::string sentence) {
  if (std::find(assumed.begin(), assumed.end(), sentence) == assumed.end())
    assumed.push_back(std::move(sentence));
}

void put_param(LayerPlan& layer, const std::string& key, ParamValue value, std::string reason) {
  layer.reasons[key] = std::move(reason);
  if (const RopeSetting* setting = find_rope_setting(key)) return setting->set(layer.rope, value);
  for (PlannedSetting& setting : layer.params)
    if (setting.first == key) {
      setting.second = std::move(value);
      return;
    }
  layer.params.emplace_back(key, std::move(value));
}

void put_encoding(LayerPlan& layer, std::string_view encoding, std::string reason) {
  layer.encoding = encoding;
  layer.reasons["encoding"] = std::move(reason);
}

void put_softmax_scale(LayerPlan& layer, double scale, std::string reason) {
  layer.softmax_scale = scale;
  layer.reasons["softmax_scale"] = std::move(reason);
}

void put_temperature(LayerPlan& layer, LayerPlan::Temperature temperature, std::string reason) {
  layer.temperature = std::move(temperature);
  layer.reasons["temperature"] = std::move(reason);
}

// Reasons that name the entry of a list differ from layer to layer though the rule is one.
std::vector<std::vector<int>> alike_layers(const std::vector<LayerPlan>& layers) {
  std::vector<std::vector<int>> groups;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const auto like = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      const LayerPlan& first = layers[static_cast<std::size_t>(group.front())];
      return first.type == layers[l].type && computes_same(first, layers[l]);
    });
    if (like != groups.end())
      like->push_back(static_cast<int>(l));
    else
      groups.push_back({static_cast<int>(l)});
  }
  return groups;
}

}  // namespace orrery
