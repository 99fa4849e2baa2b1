#include "experiments/model_files/read_config.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "core/errors.h"
#include "experiments/model_files/config_plan.h"
#include "experiments/model_files/config_values.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {
namespace {

using ScaleRule = ModelType::ScaleRule;
using TemperatureRule = ModelType::TemperatureRule;

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

/// Whether a file has the keys of Mistral's params.json (or Meta's) rather than a config.json's.
bool is_mistral_params(const Json& root) {
  return !root.contains("model_type") && root.contains("dim") && root.contains("n_heads") &&
         root.contains("n_layers");
}

/// The plan of a params.json: its weights are those of Meta's code, with pairs (2t, 2t+1). Its keys
/// are translated to those of a config.json: yarn.alpha is beta_slow, yarn.beta beta_fast,
/// llama_4_scaling.beta the temperature. Throws DataError.
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
    put_softmax_scale(layer, 1 / std::sqrt(static_cast<double>(layer.rope.d_head)),
                      "head_dim to the power −1/2");
    read_window(config, static_cast<std::size_t>(i), layer);
    read_rope(as, options, layer, plan.assumed);
    layer.rows_reordered = !type.latent;
    rename_reasons(layer, file);
    if (const Valued<double> beta = inner(config, "llama_4_scaling", "beta"); beta.value) {
      const Valued<double> length =
          inner(config, "llama_4_scaling", "original_max_position_embeddings");
      put_temperature(layer,
                      {floor_of_length, {{"β", *beta.value}, {"L₀", length.value.value_or(8192)}}},
                      beta.reason);
    }
    plan.layers.push_back(std::move(layer));
  }
  return plan;
}

constexpr std::int64_t most_hidden = std::int64_t{1} << 24;

struct TextConfig {
  Json values;
  std::string prefix;      ///< "text_config."
  std::string model_type;  ///< of the text
};

std::string type_in(const Json& values) {
  const auto found = values.find("model_type");
  return found != values.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The part of a multimodal model's configuration that is about text.
TextConfig text_part(const Json& root) {
  constexpr std::array keys{"text_config", "thinker_config", "llm_config", "language_config"};
  constexpr int deepest = 3;
  TextConfig part{root, "", std::string(text_type_of(type_in(root)))};
  for (int depth = 0; depth < deepest; ++depth) {
    const char* inner = nullptr;
    for (const char* key : keys)
      if (!inner && part.values.contains(key) && part.values[key].is_object()) inner = key;
    if (!inner) break;
    Json values = part.values[inner];
    const std::string type = type_in(values);
    part.prefix += fmt::format("{}.", inner);
    if (!type.empty()) part.model_type = std::string(text_type_of(type));
    part.values = std::move(values);
  }
  return part;
}

/// Channels per head of q and k in a layer.
Valued<std::int64_t> head_dim_of(const ConfigValues& config, const LayerPlan& layer) {
  if (type_of(config).latent || (!config.type() && config.has("qk_rope_head_dim"))) {
    const auto nope = config.integer("qk_nope_head_dim", 0, most_channels);
    const auto rope = config.integer("qk_rope_head_dim", 0, most_channels);
    if (nope.value && rope.value)
      return {*nope.value + *rope.value, "qk_nope_head_dim + qk_rope_head_dim"};
  }
  if (layer.type == "full_attention")
    if (auto global = config.integer("global_head_dim", 1, most_channels); global.value)
      return global;
  if (layer.type.find("sliding") != std::string::npos && config.has_default("swa_head_dim"))
    if (auto sliding = config.integer("swa_head_dim", 1, most_channels); sliding.value)
      return sliding;
  const bool for_frequencies = type_of(config).frequencies_by_head_dim;
  if (!for_frequencies)
    if (auto own = config.integer("head_dim", 1, most_channels); own.value) return own;
  const auto hidden = config.integer("hidden_size", 1, most_hidden);
  const auto heads = config.integer("num_attention_heads", 1, most_hidden);
  if (!hidden.value || !heads.value)
    config.refuse("head_dim", "given, nor are hidden_size and num_attention_heads");
  const std::int64_t channels = *hidden.value / *heads.value;
  if (channels < 1 || channels > most_channels)
    config.refuse("hidden_size", fmt::format("1 to {} times num_attention_heads", most_channels));
  std::string reason = "hidden_size / num_attention_heads";
  if (config.find_in_file("head_dim"))
    reason += "; " + (for_frequencies
                          ? config.key_name("head_dim") + " is the width of the frequencies alone"
                          : config.not_read("head_dim"));
  return {channels, std::move(reason)};
}

void read_softmax_scale(const ConfigValues& config, LayerPlan& layer) {
  const auto by_key = [&](const char* key, double power) {
    const Valued<double> value = config.number(key);
    if (!value.value || *value.value <= 0) return false;
    put_softmax_scale(layer, std::pow(*value.value, power),
                      power == 1 ? value.reason : value.reason + " to the power −1/2");
    return true;
  };
  const ScaleRule rule = type_of(config).scale;
  if (rule == ScaleRule::query_pre_attn_scalar && by_key("query_pre_attn_scalar", -0.5)) return;
  if (rule == ScaleRule::attention_multiplier && by_key("attention_multiplier", 1)) return;
  if (!config.type() &&
      (by_key("query_pre_attn_scalar", -0.5) || by_key("attention_multiplier", 1)))
    return;
  const auto channels = static_cast<double>(layer.rope.d_head);
  if (rule == ScaleRule::inverse_head_dim)
    return put_softmax_scale(layer, 1 / channels, "head_dim to the power −1");
  if (rule == ScaleRule::one) return put_softmax_scale(layer, 1, config.code());
  put_softmax_scale(layer, 1 / std::sqrt(channels), "head_dim to the power −1/2");
}

/// The factor of layers without RoPE in models that have one.
void read_temperature(const ConfigValues& config, LayerPlan& layer,
                      std::vector<std::string>& assumed) {
  const TemperatureRule rule = type_of(config).temperature;
  if (rule == TemperatureRule::learned)
    assume(assumed,
           "queries are multiplied by b + s ln(m + 1) with a learned b and s per head, which no "
           "configuration has: 1 is shown, which they begin as");
  if (layer.encoding != "none") return;
  if (rule == TemperatureRule::llama4 && config.flag("attn_temperature_tuning")) {
    const Valued<double> floor = config.number("floor_scale"), scale = config.number("attn_scale");
    if (!floor.value || !scale.value) return;
    put_temperature(layer, {floor_of_next, {{"a", *scale.value}, {"f", *floor.value}}},
                    config.reason("attn_temperature_tuning"));
  }
  if (rule == TemperatureRule::scalable)
    put_temperature(layer, {power_of_length, {{"c", 2048.0}, {"p", 0.1}}}, config.code());
}

void read_layer(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
                std::vector<std::string>& assumed) {
  if (layer.encoding == "not_attention") return;
  if (config.type() && config.type()->encoding == "not_attention")
    return put_encoding(layer, "not_attention", config.code());
  const Valued<std::int64_t> channels = head_dim_of(config, layer);
  layer.rope.d_head = *channels.value;
  layer.reasons["head_dim"] = channels.reason;
  read_softmax_scale(config, layer);
  if (layer.encoding.empty()) {
    if (config.type() && config.type()->encoding == "rope")
      read_rope(config, options, layer, assumed);
    else
      read_other_encoding(config, options, layer, assumed);
  }
  read_temperature(config, layer, assumed);
  if (layer.encoding == "rope" && layer.reasons.count("encoding") == 0)
    layer.reasons["encoding"] =
        fmt::format("model type {}", config.type() ? config.type()->name : "unknown");
}

}  // namespace

ConfigValues text_config(std::string_view text, const std::string& file) {
  TextConfig part = text_part(parse_config(text, file));
  const ModelType* type = find_model_type(part.model_type);
  return {std::move(part.values), type, file, std::move(part.prefix)};
}

PositionPlan read_config(std::string_view text, const std::string& file,
                         const ReadOptions& options) {
  const Json root = parse_config(text, file);
  if (is_mistral_params(root)) return read_mistral_params(root, file, options);
  TextConfig part = text_part(root);
  const ModelType* type = find_model_type(part.model_type);
  PositionPlan plan{.source = file, .format = "config.json", .model_type = part.model_type};
  if (plan.model_type.size() > 64)
    throw DataError(file, "has a model_type of more than 64 letters", "correct it");
  if (!type)
    assume(plan.assumed,
           fmt::format("model type \"{}\" is unknown: its keys are read as Transformers "
                       "reads those of a Llama, with a causal mask in every layer, and "
                       "layer_types, sliding_window and partial_rotary_factor are obeyed where "
                       "they are given",
                       part.model_type));
  if (root.contains("vision_config"))
    assume(plan.assumed, "layers of the text are shown, and those of the vision encoder are not");
  const ConfigValues config(std::move(part.values), type, file, part.prefix);
  plan.layers = layer_schedule(config, plan.assumed);
  for (LayerPlan& layer : plan.layers) read_layer(config, options, layer, plan.assumed);
  if (const auto longest = config.integer("max_position_embeddings", 0, most_tokens); longest.value)
    plan.longest = *longest.value;
  plan.keys_read = config.asked();
  return plan;
}

}  // namespace orrery
