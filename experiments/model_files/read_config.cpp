#include "experiments/model_files/read_config.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "core/errors.h"
#include "experiments/model_files/config_values.h"
#include "experiments/model_files/layer_schedule.h"
#include "experiments/model_files/mistral_params.h"
#include "experiments/model_files/other_encodings.h"
#include "experiments/model_files/rope_settings.h"
#include "experiments/model_files/temperature.h"
#include "experiments/model_files/text_config.h"

namespace orrery {
namespace {

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

const ModelType& type_of(const ConfigValues& config) {
  static constexpr ModelType unknown{};
  return config.type() ? *config.type() : unknown;
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
    layer.softmax_scale = std::pow(*value.value, power);
    layer.reasons["softmax_scale"] =
        power == 1 ? value.reason : value.reason + " to the power −1/2";
    return true;
  };
  const ScaleRule rule = type_of(config).scale;
  if (rule == ScaleRule::query_pre_attn_scalar && by_key("query_pre_attn_scalar", -0.5)) return;
  if (rule == ScaleRule::attention_multiplier && by_key("attention_multiplier", 1)) return;
  if (!config.type() &&
      (by_key("query_pre_attn_scalar", -0.5) || by_key("attention_multiplier", 1)))
    return;
  if (rule == ScaleRule::inverse_head_dim) {
    layer.softmax_scale = 1.0 / static_cast<double>(layer.rope.d_head);
    layer.reasons["softmax_scale"] = "head_dim to the power −1";
    return;
  }
  const bool one = rule == ScaleRule::one;
  layer.softmax_scale = one ? 1.0 : 1 / std::sqrt(static_cast<double>(layer.rope.d_head));
  layer.reasons["softmax_scale"] = one ? config.code() : "head_dim to the power −1/2";
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
    layer.temperature = Temperature{floor_of_next, {{"a", *scale.value}, {"f", *floor.value}}};
    layer.reasons["temperature"] = config.reason("attn_temperature_tuning");
  }
  if (rule == TemperatureRule::scalable) {
    layer.temperature = Temperature{power_of_length, {{"c", 2048.0}, {"p", 0.1}}};
    layer.reasons["temperature"] = config.code();
  }
}

void read_layer(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
                std::vector<std::string>& assumed) {
  if (layer.encoding == "not_attention") return;
  if (config.type() && config.type()->encoding == "not_attention") {
    layer.encoding = "not_attention";
    layer.reasons["encoding"] = config.code();
    return;
  }
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
  plan.keys_read = config.asked();
  return plan;
}

}  // namespace orrery
