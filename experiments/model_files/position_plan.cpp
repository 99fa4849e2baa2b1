#include "experiments/model_files/position_plan.h"

#include <algorithm>
#include <cmath>
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

namespace {

using Influence = std::vector<double>;  // by position

/// Each position's influence, shared among the keys that it sees. Ranges are added by their ends,
/// from the last position on, so that what gathers at the first tokens is added last; the rounding
/// of each addition is kept and added too (Neumaier 1974).
Influence shared(const Influence& influence, const Reach& reach) {
  const auto last = std::ssize(influence) - 1;
  Influence begins(influence.size() + 1, 0.0);  // by position + 1
  for (std::int64_t i = 0; i <= last; ++i) {
    const std::int64_t from = i > reach.behind ? i - reach.behind : 0;
    const std::int64_t to = last - i > reach.ahead ? i + reach.ahead : last;
    const double each = influence[static_cast<std::size_t>(i)] / static_cast<double>(to - from + 1);
    begins[static_cast<std::size_t>(to) + 1] += each;
    begins[static_cast<std::size_t>(from)] -= each;
  }
  Influence sums(influence.size());
  double sum = 0, lost = 0;
  for (std::size_t j = sums.size(); j > 0; --j) {
    const double next = sum + begins[j];
    lost +=
        std::abs(sum) >= std::abs(begins[j]) ? (sum - next) + begins[j] : (begins[j] - next) + sum;
    sum = next;
    sums[j - 1] = sum + lost;
  }
  return sums;
}

/// The distance from the last token within which that share of the influence lies.
double within(const Influence& influence, double share) {
  double sum = 0;
  for (std::size_t r = 0; r < influence.size(); ++r) {
    sum += influence[influence.size() - 1 - r];
    if (sum >= share) return static_cast<double>(r);
  }
  return static_cast<double>(influence.size() - 1);
}

}  // namespace

Reach reach_of(const LayerPlan& layer, std::int64_t context) {
  if (layer.encoding == "not_attention") return {};
  const std::int64_t all = context - 1;
  const bool windowed = layer.window && *layer.window <= all;
  // A window of 0 hides the query's own key, too: what comes through is the residual stream.
  const std::int64_t side = windowed ? std::max<std::int64_t>(*layer.window - 1, 0) : all;
  return {.behind = side, .ahead = layer.causal ? 0 : side};
}

ReceptiveField receptive_field(const PositionPlan& plan, std::int64_t context, double residual) {
  Influence influence(static_cast<std::size_t>(context), 0.0);
  influence.back() = 1.0;
  ReceptiveField field{.reach = {0}, .half = {0}, .most = {0}, .influence = {}};
  std::int64_t reached = 0;
  for (auto layer = plan.layers.rbegin(); layer != plan.layers.rend(); ++layer) {
    const Reach reach = reach_of(*layer, context);
    const Influence passed = shared(influence, reach);
    for (std::size_t j = 0; j < influence.size(); ++j)
      influence[j] = residual * influence[j] + (1 - residual) * passed[j];
    reached = reach.behind < context - 1 - reached ? reached + reach.behind : context - 1;
    field.reach.push_back(static_cast<double>(reached));
    field.half.push_back(within(influence, 0.5));
    field.most.push_back(within(influence, 0.95));
  }
  field.influence.assign(influence.rbegin(), influence.rend());
  return field;
}

}  // namespace orrery
