#include "experiments/model_files/positions_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "experiments/model_files/rotation.h"
#include "experiments/text/number_runs.h"

namespace orrery {
namespace {

std::string reason_of(const LayerPlan& layer, const std::string& field) {
  const auto found = layer.reasons.find(field);
  return found == layer.reasons.end() ? "" : found->second;
}

/// The facts of a layer, while they are collected.
class Facts {
 public:
  explicit Facts(const LayerPlan& layer) : layer_(layer) {}
  void add(const std::string& field, std::string label, std::string value) {
    facts_.push_back({field, std::move(label), std::move(value), reason_of(layer_, field)});
  }
  std::vector<PositionFact> take() { return std::move(facts_); }

 private:
  const LayerPlan& layer_;
  std::vector<PositionFact> facts_{};
};

bool is_proportional(const LayerPlan& layer) {
  return layer.rope.partial == RopePartial::proportional;
}

/// p-RoPE pairs over all of the head, however few of its channels turn.
std::string pairing_text(const LayerPlan& layer) {
  if (layer.rope.pairing == RopePairing::interleaved) return "interleaved (2t, 2t+1)";
  if (!is_proportional(layer)) return "half_split (t, t + r/2)";
  return fmt::format("half_split (t, t + {})", layer.rope.d_head / 2);
}

std::string slice_text(const LayerPlan& layer) {
  if (is_proportional(layer))
    return fmt::format("{} of {} channels, spread over all pairs", layer.rope.rotary_dims,
                       layer.rope.d_head);
  if (layer.rope.rotary_dims == layer.rope.d_head)
    return fmt::format("all {} channels", layer.rope.d_head);
  return fmt::format("channels {} to {} of {}", layer.rope.begin,
                     layer.rope.begin + layer.rope.rotary_dims - 1, layer.rope.d_head);
}

/// The slowest frequency that is not 0: p-RoPE ends with zeros.
std::string frequencies_text(const LayerPlan& layer) {
  double slowest = 0;
  for (const double theta : layer.inv_freq)
    if (theta != 0) slowest = theta;
  return fmt::format("{} pairs, {} to {} rad per token (a turn in {} tokens)",
                     layer.inv_freq.size(),
                     shown_number(layer.inv_freq.empty() ? 0 : layer.inv_freq.front()),
                     shown_number(slowest), fmt::format("{:.4g}", 2 * std::numbers::pi / slowest));
}

std::string indexer_text(const LayerPlan& layer) {
  const LayerPlan::Indexer& indexer = *layer.indexer;
  return fmt::format("{}, channels {} to {} of {}", name(indexer.pairing), indexer.rotary_begin,
                     indexer.rotary_begin + layer.rope.rotary_dims - 1, indexer.head_dim);
}

void add_rope(const LayerPlan& layer, Facts& facts) {
  facts.add("pairing", "pairing", pairing_text(layer));
  if (layer.rope.clockwise) facts.add("pairing", "direction", "clockwise, by −m·theta");
  facts.add("rotary_dims", "rotated", slice_text(layer));
  facts.add("base", "base", shown_number(layer.rope.base));
  if (layer.indexer) facts.add("indexer", "indexer", indexer_text(layer));
}

std::string list_text(const std::vector<double>& values) {
  return fmt::format("{} numbers, {} to {}", values.size(), shown_number(values.front()),
                     shown_number(values.back()));
}

void add_factors(const LayerPlan& layer, Facts& facts) {
  if (layer.rope.scaling.factors.empty()) return;
  const bool longrope = !layer.rope.scaling.long_factors.empty();
  facts.add(longrope ? "short_factor" : "rope.scaling",
            longrope ? "rope.short_factor" : "rope.factors", list_text(layer.rope.scaling.factors));
  if (longrope)
    facts.add("long_factor", "rope.long_factor", list_text(layer.rope.scaling.long_factors));
}

void add_rest(const LayerPlan& layer, Facts& facts) {
  if (layer.softmax_scale != 0)
    facts.add("softmax_scale", "softmax scale", shown_number(layer.softmax_scale));
  if (layer.temperature) facts.add("temperature", "times, by position", temperature_text(layer));
  if (layer.window || layer.reasons.count("window") > 0)
    facts.add("window", "window", window_text(layer));
  if (!layer.causal) facts.add("causal", "mask", "none: queries see keys on both sides");
}

}  // namespace

std::vector<PositionFact> facts_of(const LayerPlan& layer) {
  Facts facts(layer);
  if (layer.reasons.count("layer_types") > 0)
    facts.add("layer_types", "types of layers", "all alike");
  facts.add("encoding", "encoding", layer.encoding);
  if (!layer.beside.empty()) facts.add("beside", "and beside it", layer.beside);
  if (layer.encoding == "not_attention") return facts.take();
  const bool rope = layer.encoding == "rope";
  if (rope)
    add_rope(layer, facts);
  else if (layer.rope.d_head > 0)
    facts.add("head_dim", "head", fmt::format("{} channels", layer.rope.d_head));
  for (const auto& [key, value] : settings_of(layer))
    if (key != "rope.fraction" && !std::holds_alternative<std::vector<double>>(value))
      facts.add(key, key, to_text(value));
  add_factors(layer, facts);
  if (rope && layer.attention_factor != 1)
    facts.add("rope.attention_factor", "attention factor", shown_number(layer.attention_factor));
  if (rope) facts.add("inv_freq", "frequencies", frequencies_text(layer));
  if (!layer.rope.sections.empty())
    facts.add("sections", "pairs per axis",
              fmt::format("{}{}", fmt::join(layer.rope.sections, ", "),
                          layer.rope.design == AxisDesign::interleaved ? ", in turns"
                                                                       : ", one after the other"));
  add_rest(layer, facts);
  return facts.take();
}

std::string shown_number(double value) { return fmt::format("{:.7g}", value); }

std::string temperature_text(const LayerPlan& layer) {
  if (!layer.temperature) return "none";
  std::string text = layer.temperature->rule;
  for (const auto& [symbol, value] : layer.temperature->terms)
    text += fmt::format(", {} = {}", symbol, shown_number(value));
  return text;
}

std::string window_text(const LayerPlan& layer) {
  if (!layer.window) return "none";
  const std::int64_t w = *layer.window;
  if (w == 0) return "0 tokens: every key is hidden";
  if (layer.window_in_blocks) return fmt::format("{} tokens (in blocks: ⌊n/{}⌋ = ⌊m/{}⌋)", w, w, w);
  return fmt::format("{} tokens ({} < {})", w, layer.causal ? "m − n" : "|m − n|", w);
}

std::string numbers_text(const std::vector<int>& layers) {
  return fmt::format("{} {}", layers.size() == 1 ? "layer" : "layers",
                     fmt::join(runs_of(layers), ", "));
}

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
