#include "experiments/model_files/layer_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/encodings/axis_layout.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/rotation.h"

namespace orrery {
namespace {

void require_runnable(const LayerPlan& layer) {
  const auto& entries = encoding_catalogue();
  const bool known = std::any_of(entries.begin(), entries.end(), [&](const EncodingEntry& entry) {
    return entry.info.name == layer.encoding;
  });
  if (!known)
    throw UsageError(fmt::format("layer={}", layer.layer),
                     fmt::format("is {}, which is no encoding that runs", layer.encoding),
                     "choose another layer; orrery run model_layers model=FILE lists them");
  require_rotation(layer);
}

bool has(const std::vector<ParamSpec>& specs, const std::string& key) {
  return std::any_of(specs.begin(), specs.end(),
                     [&](const ParamSpec& spec) { return spec.key == key; });
}

/// Whether the experiment turns pairs by axes, as the layer does.
bool takes_axes(const LayerPlan& layer, const std::vector<ParamSpec>& specs) {
  return layer.rope.sections.size() >= 3 && has(specs, "axis_rope.design");
}

/// Time and row as numbers of pairs; columns have the rest.
void add_axes(const LayerPlan& layer, std::vector<PlannedSetting>& all) {
  all.emplace_back("axis_rope.design", std::string(name(layer.rope.design)));
  all.emplace_back("axis_rope.time_pairs", std::int64_t{layer.rope.sections[0]});
  all.emplace_back("axis_rope.row_pairs", std::int64_t{layer.rope.sections[1]});
}

std::vector<PlannedSetting> all_settings(const LayerPlan& layer,
                                         const std::vector<ParamSpec>& specs) {
  const bool axes = takes_axes(layer, specs);
  std::vector<PlannedSetting> all{
      {"encoding", std::vector<std::string>{axes ? "axis_rope" : layer.encoding}},
      {"causal", layer.causal}};
  if (layer.rope.d_head > 0) all.emplace_back("dim", std::int64_t{layer.rope.d_head});
  if (layer.encoding == "rope") {
    all.emplace_back("base", layer.rope.base);
    all.emplace_back("rope.pairing", std::string(name(layer.rope.pairing)));
  }
  if (axes) add_axes(layer, all);
  for (PlannedSetting& setting : settings_of(layer)) all.push_back(std::move(setting));
  return all;
}

/// A choice of one where the experiment takes one encoding.
ParamValue as_kind(const ParamSpec& spec, const ParamValue& value) {
  const auto* names = std::get_if<std::vector<std::string>>(&value);
  if (names && spec.kind == ParamKind::choice) return names->front();
  return value;
}

}  // namespace

std::vector<PlannedSetting> layer_settings(const LayerPlan& layer,
                                           const std::vector<ParamSpec>& specs) {
  require_runnable(layer);
  std::vector<PlannedSetting> settings;
  for (const PlannedSetting& setting : all_settings(layer, specs)) {
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const ParamSpec& one) { return one.key == setting.first; });
    if (spec != specs.end()) settings.emplace_back(setting.first, as_kind(*spec, setting.second));
  }
  const bool about_rope = has(specs, "rope.pairing") || has(specs, "rope.scaling");
  if (!has(specs, "encoding") && !(about_rope && layer.encoding == "rope"))
    throw UsageError(fmt::format("layer={} with {}", layer.layer, layer.encoding),
                     "says nothing about the parameters of this experiment",
                     "choose an experiment with encoding=, such as long_term_decay");
  return settings;
}

std::vector<std::string> left_out(const LayerPlan& layer, const std::vector<ParamSpec>& specs) {
  std::vector<std::string> out;
  if (layer.window) out.push_back("the window of " + window_text(layer));
  if (layer.temperature) out.push_back("the factor that grows with the query's position");
  if (!layer.rope.sections.empty() && !takes_axes(layer, specs))
    out.push_back("the axes of M-RoPE: all pairs take one position");
  if (layer.rope.begin > 0)
    out.push_back("the place of the rotated channels: the first ones turn, and scores are equal");
  if (layer.rope.clockwise) out.push_back("the direction: pairs turn counter-clockwise");
  return out;
}

const LayerPlan& layer_of(const PositionPlan& plan, std::int64_t number) {
  if (number >= 0 && static_cast<std::size_t>(number) < plan.layers.size())
    return plan.layers[static_cast<std::size_t>(number)];
  throw UsageError(
      fmt::format("layer={}", number),
      fmt::format("must be from 0 to {}, the layers of {}", plan.layers.size() - 1, plan.source),
      fmt::format("try layer={}", plan.layers.size() / 2));
}

}  // namespace orrery
