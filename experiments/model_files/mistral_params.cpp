#include "experiments/model_files/mistral_params.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "experiments/model_files/config_values.h"
#include "experiments/model_files/layer_schedule.h"
#include "experiments/model_files/temperature.h"

namespace orrery {
namespace {

/// A value of a dictionary within the file.
Valued<double> inner(const ConfigValues& config, const char* object, const char* key) {
  const Json* dictionary = config.object(object);
  if (!dictionary || !dictionary->contains(key) || (*dictionary)[key].is_null()) return {};
  const std::optional<double> number = finite_number((*dictionary)[key]);
  if (!number) config.refuse(fmt::format("{}.{}", object, key), "a finite number");
  return {number, config.key_name(fmt::format("{}.{}", object, key))};
}

void read_yarn(const ConfigValues& config, Json& rope) {
  const auto copy = [&](const char* from, const char* to) {
    if (const Valued<double> value = inner(config, "yarn", from); value.value)
      rope[to] = *value.value;
  };
  copy("factor", "factor");
  copy("original_max_position_embeddings", "original_max_position_embeddings");
  copy("alpha", "beta_slow");
  copy("beta", "beta_fast");
  rope["rope_type"] = "yarn";
  const Json* yarn = config.object("yarn");
  if (const auto apply = yarn->find("apply_scale"); apply != yarn->end() && *apply == false)
    rope["attention_factor"] = 1.0;
}

/// A config.json that says the same.
Json translated(const ConfigValues& config, double base) {
  Json rope{{"rope_theta", base}};
  if (config.object("yarn")) read_yarn(config, rope);
  Json as{{"rope_parameters", std::move(rope)}};
  for (const char* key : {"qk_rope_head_dim", "qk_nope_head_dim"})
    if (const Json* value = config.find(key)) as[key] = *value;
  return as;
}

void read_window(const ConfigValues& config, std::size_t i, LayerPlan& layer) {
  const Json* windows = config.find("sliding_window");
  if (!windows) windows = config.find("_sliding_window");
  if (!windows) return;
  const Json* own = windows;
  if (windows->is_array()) {
    if (windows->empty()) return;
    own = &(*windows)[i % windows->size()];  // a list is repeated
  }
  if (own->is_null()) return;
  const std::optional<double> window = finite_number(*own);
  if (!window || *window < 1 || *window > static_cast<double>(most_tokens))
    config.refuse("sliding_window", "a number of tokens, or a list of them");
  layer.window = static_cast<std::int64_t>(*window);
  layer.reasons["window"] = config.key_name("sliding_window");
}

/// "config.json: rope_parameters.beta_slow" by the key that it was translated from.
void rename_reasons(LayerPlan& layer, const std::string& file) {
  const std::pair<const char*, const char*> names[] = {
      {"base", "rope_theta"},          {"rope.beta_slow", "yarn.alpha"},
      {"rope.beta_fast", "yarn.beta"}, {"rope.factor", "yarn.factor"},
      {"rope.scaling", "yarn"},        {"rope.attention_factor", "yarn.apply_scale"}};
  for (const auto& [key, name] : names)
    if (layer.reasons.count(key) > 0) layer.reasons[key] = fmt::format("{}: {}", file, name);
  layer.reasons["pairing"] = "params.json: weights in the order of Meta's code";
  layer.reasons["encoding"] = "params.json";
}

}  // namespace

bool is_mistral_params(const Json& root) {
  return !root.contains("model_type") && root.contains("dim") && root.contains("n_heads") &&
         root.contains("n_layers");
}

PositionPlan read_mistral_params(const Json& root, const std::string& file,
                                 const ReadOptions& options) {
  const ConfigValues config(root, nullptr, file, "");
  PositionPlan plan{.source = file, .format = "params.json", .model_type = "mistral"};
  const auto layers = config.integer("n_layers", 1, most_layers);
  const auto heads = config.integer("n_heads", 1, 1 << 20);
  const auto width = config.integer("dim", 1, std::int64_t{1} << 24);
  auto head = config.integer("head_dim", 1, most_channels);
  if (!layers.value || !heads.value || !width.value)
    config.refuse("n_layers, n_heads or dim", "given");
  if (!head.value) head = {*width.value / *heads.value, "dim / n_heads"};
  const auto nope = config.integer("qk_nope_head_dim", 0, most_channels);
  const auto rope = config.integer("qk_rope_head_dim", 0, most_channels);
  if (nope.value && rope.value)
    head = {*nope.value + *rope.value, "qk_nope_head_dim + qk_rope_head_dim"};
  if (*head.value < 1 || *head.value > 2 * most_channels)
    config.refuse("dim", "1 to 8192 times n_heads");
  Valued<double> base = config.number("rope_theta");
  if (!base.value) {
    base = {10000.0, "assumed"};
    assume(plan.assumed, "no rope_theta: 10000 is assumed, as in Mistral's first models");
  }
  const ModelType type{
      .name = "mistral", .interleaved = true, .latent = config.has("qk_rope_head_dim")};
  const ConfigValues as(translated(config, *base.value), &type, file, "");
  for (std::int64_t i = 0; i < *layers.value; ++i) {
    LayerPlan layer{.layer = static_cast<int>(i), .type = "full_attention"};
    layer.rope.d_head = *head.value;
    layer.reasons["head_dim"] = head.reason;
    layer.softmax_scale = 1 / std::sqrt(static_cast<double>(layer.rope.d_head));
    layer.reasons["softmax_scale"] = "head_dim to the power −1/2";
    read_window(config, static_cast<std::size_t>(i), layer);
    read_rope(as, options, layer, plan.assumed);
    layer.rows_reordered = !type.latent;
    rename_reasons(layer, file);
    if (const Valued<double> beta = inner(config, "llama_4_scaling", "beta"); beta.value) {
      const Valued<double> length =
          inner(config, "llama_4_scaling", "original_max_position_embeddings");
      layer.temperature =
          Temperature{floor_of_length, {{"β", *beta.value}, {"L₀", length.value.value_or(8192)}}};
      layer.reasons["temperature"] = beta.reason;
    }
    plan.layers.push_back(std::move(layer));
  }
  return plan;
}

}  // namespace orrery
