#include "experiments/model_files/positions_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/model_files/rotation.h"

namespace orrery {
namespace {

using nlohmann::ordered_json;

ordered_json value_json(const ParamValue& value) {
  return std::visit([](const auto& v) { return ordered_json(v); }, value);
}

ordered_json params_json(const LayerPlan& layer) {
  ordered_json json = ordered_json::object();
  for (const auto& [key, value] : settings_of(layer)) json[key] = value_json(value);
  return json;
}

ordered_json temperature_json(const LayerPlan& layer) {
  if (!layer.temperature) return nullptr;
  return {{"rule", layer.temperature->rule}, {"terms", layer.temperature->terms}};
}

/// The channels of a head that each frequency turns, first and second of a pair.
std::pair<ordered_json, ordered_json> paired_json(const LayerPlan& layer) {
  ordered_json first = ordered_json::array(), second = ordered_json::array();
  for (const auto& [a, b] : channel_pairs(layer)) {
    first.push_back(a);
    second.push_back(b);
  }
  return {std::move(first), std::move(second)};
}

ordered_json layer_json(const LayerPlan& layer) {
  const bool rope = layer.encoding == "rope";
  const auto of_rope = [&](ordered_json value) {
    return rope ? std::move(value) : ordered_json(nullptr);
  };
  const auto known = [](auto value) {
    return value != 0 ? ordered_json(value) : ordered_json(nullptr);
  };
  const auto [first, second] = paired_json(layer);
  ordered_json json{{"layer", layer.layer},
                    {"type", layer.type},
                    {"encoding", layer.encoding},
                    {"pairing", of_rope(name(layer.rope.pairing))},
                    {"head_dim", known(layer.rope.d_head)},
                    {"rotary_dims", of_rope(layer.rope.rotary_dims)},
                    {"rotary_begin", of_rope(layer.rope.begin)},
                    {"base", of_rope(layer.rope.base)},
                    {"inv_freq", layer.inv_freq},
                    {"first_channels", of_rope(first)},
                    {"second_channels", of_rope(second)},
                    {"attention_factor", of_rope(layer.attention_factor)},
                    {"softmax_scale", known(layer.softmax_scale)},
                    {"window", layer.window ? ordered_json(*layer.window) : ordered_json(nullptr)},
                    {"window_in_blocks", layer.window_in_blocks},
                    {"causal", layer.causal},
                    {"temperature", temperature_json(layer)},
                    {"sections", layer.rope.sections.empty() ? ordered_json(nullptr)
                                                             : ordered_json(layer.rope.sections)}};
  if (!layer.rope.sections.empty())
    json["sections_interleaved"] = layer.rope.design == AxisDesign::interleaved;
  if (layer.indexer)
    json["indexer"] = {{"pairing", name(layer.indexer->pairing)},
                       {"head_dim", layer.indexer->head_dim},
                       {"rotary_begin", layer.indexer->rotary_begin},
                       {"rotary_dims", layer.rope.rotary_dims}};
  if (!layer.beside.empty()) json["beside"] = layer.beside;
  if (layer.rope.clockwise) json["clockwise"] = true;
  if (layer.rows_reordered) json["rows_reordered"] = true;
  json["params"] = params_json(layer);
  json["reasons"] = layer.reasons;
  return json;
}

}  // namespace

std::string positions_json(const PositionPlan& plan) {
  ordered_json layers = ordered_json::array();
  for (const LayerPlan& layer : plan.layers) layers.push_back(layer_json(layer));
  ordered_json json{{"source", plan.source},
                    {"format", plan.format},
                    {"model_type", plan.model_type},
                    {"layers", std::move(layers)},
                    {"assumed", plan.assumed}};
  for (const LayerPlan& layer : plan.other) json[other_stack(plan)].push_back(layer_json(layer));
  // Names of a file need not be UTF-8.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace orrery
