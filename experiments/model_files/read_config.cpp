#include "experiments/model_files/read_config.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "core/errors.h"
#include "experiments/model_files/config_plan.h"
#include "experiments/model_files/config_values.h"
#include "experiments/model_files/other_programs.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

using ScaleRule = ModelType::ScaleRule;
using TemperatureRule = ModelType::TemperatureRule;

constexpr std::int64_t most_hidden = std::int64_t{1} << 24;

struct TextConfig {
  Json values;
  std::string prefix;      ///< "text_config."
  std::string model_type;  ///< of the text
  std::string class_name{};
};

std::string type_in(const Json& values) {
  const auto found = values.find("model_type");
  return found != values.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The part of a configuration that is about text, or one of several models in the place of it.
const char* part_in(const Json& values) {
  constexpr std::array texts{"text_config", "thinker_config", "llm_config", "language_config"};
  constexpr std::array parts{"vlm_config",     "decoder_config", "decoder",
                             "encoder_config", "encoder",        "model_config"};
  const auto is_part = [&](const char* key) {
    return values.contains(key) && values[key].is_object();
  };
  for (const char* key : texts)
    if (is_part(key)) return key;
  if (ConfigValues(values, nullptr, "", "").has("num_hidden_layers")) return nullptr;
  for (const char* key : parts)
    if (is_part(key)) return key;
  return nullptr;
}

TextConfig text_part(const Json& root) {
  constexpr int deepest = 3;
  TextConfig part{root, "", std::string(text_type_of(type_in(root))), class_in(root)};
  for (int depth = 0; depth < deepest; ++depth) {
    const char* inner = part_in(part.values);
    if (!inner) break;
    Json values = part.values[inner];
    const std::string type = type_in(values);
    part.prefix += fmt::format("{}.", inner);
    if (!type.empty()) part.model_type = std::string(text_type_of(type));
    part.class_name = class_in(values);
    part.values = std::move(values);
  }
  return part;
}

/// The class that a file names decides before its model_type.
void obey_class(TextConfig& part, std::vector<std::string>& assumed) {
  const std::string& name = part.class_name;
  if (name.empty() || is_class_of(name, part.model_type)) return;
  const std::string_view known = type_of_class(name);
  if (!part.model_type.empty())
    assume(assumed,
           fmt::format("architectures names {}, which is no class of model type \"{}\": {}",
                       printable(name), part.model_type,
                       known.empty() ? "the type is taken as unknown" : "the class decides"));
  part.model_type = known.empty() ? stem_of_class(name) : std::string(known);
}

/// Channels per head of q and k in a layer.
Valued<std::int64_t> head_dim_of(const ConfigValues& config, const LayerPlan& layer) {
  if (is_latent(config)) {
    const auto nope = config.integer("qk_nope_head_dim", 0, most_channels);
    const auto rope = config.integer("qk_rope_head_dim", 0, most_channels);
    if (nope.value && rope.value)
      return {*nope.value + *rope.value, "qk_nope_head_dim + qk_rope_head_dim"};
  }
  if (layer.type == "full_attention" && !config.find_in_file("per_layer_config"))
    if (auto global = config.integer("global_head_dim", 1, most_channels); global.value)
      return global;
  if (layer.type.find("sliding") != std::string::npos && config.has_default("swa_head_dim"))
    if (auto sliding = config.integer("swa_head_dim", 1, most_channels); sliding.value)
      return sliding;
  const bool for_frequencies = type_of(config).frequencies_by_head_dim;
  if (!for_frequencies)
    if (auto own = config.integer("head_dim", 1, most_channels); own.value) return own;
  // MobileBERT attends in a narrower space.
  const bool narrow = config.has_default("use_bottleneck") && config.flag("use_bottleneck");
  // Towers of images whose blocks are counted by depth may have what they return in hidden_size.
  const bool returns = !config.type() && config.has("depth") && config.has("embed_dim");
  const char* size = narrow ? "intra_bottleneck_size" : returns ? "embed_dim" : "hidden_size";
  const auto hidden = config.integer(size, 1, most_hidden);
  const auto heads = config.integer("num_attention_heads", 1, most_hidden);
  if (!hidden.value || !heads.value) {
    if (!config.type()) return {};
    config.refuse("head_dim", "given, nor are hidden_size and num_attention_heads");
  }
  const std::int64_t channels = *hidden.value / *heads.value;
  if (channels < 1 || channels > most_channels)
    config.refuse(size, fmt::format("1 to {} times num_attention_heads", most_channels));
  std::string reason = fmt::format("{} / num_attention_heads", size);
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
  if (config.is_given("scale_attn_weights") && !config.flag("scale_attn_weights"))
    return put_softmax_scale(layer, 1, config.reason("scale_attn_weights"));
  if (rule == ScaleRule::half_head_dim)
    return put_softmax_scale(layer, std::sqrt(2 / channels), "(head_dim / 2) to the power −1/2");
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
           "queries are multiplied by b + s ln(m + 1) with a learned b and s per head, and "
           "frequencies by exp α with a learned α per pair, which no configuration has: 1 is "
           "shown, which they begin as");
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

/// GPT-2's further scale, by layers.
void scale_by_layer(const ConfigValues& config, LayerPlan& layer) {
  const char* key = "scale_attn_by_inverse_layer_idx";
  if (!config.flag(key)) return;
  put_softmax_scale(layer, layer.softmax_scale / (layer.layer + 1),
                    fmt::format("{}, over {} by {}", layer.reasons["softmax_scale"],
                                layer.layer + 1, config.reason(key)));
}

void read_layer(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
                std::vector<std::string>& assumed) {
  if (layer.encoding == "not_attention") return;
  if (config.type() && config.type()->encoding == "not_attention")
    return put_encoding(layer, "not_attention", config.code());
  const Valued<std::int64_t> channels = head_dim_of(config, layer);
  if (!channels.value) {
    assume(assumed, "no key counts heads or their channels: how layers attend is not read");
    return put_encoding(layer, "unknown", "no key counts heads");
  }
  layer.rope.d_head = *channels.value;
  layer.reasons["head_dim"] = channels.reason;
  read_softmax_scale(config, layer);
  scale_by_layer(config, layer);
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

/// Patches of images, which have two axes.
bool is_of_images(const ConfigValues& config) {
  return !config.type() && config.has("patch_size") && !config.has("vocab_size");
}

void read_image_layer(const ConfigValues& config, LayerPlan& layer) {
  layer.causal = false;
  layer.window.reset();
  if (const auto channels = head_dim_of(config, layer); channels.value) {
    layer.rope.d_head = *channels.value;
    layer.reasons["head_dim"] = channels.reason;
  }
  put_encoding(layer, "unknown",
               config.key_name("patch_size") + ": patches of images have two axes");
}

void tell_of_unknown(const ConfigValues& config, PositionPlan& plan) {
  const auto first = [&](std::string sentence) {
    plan.assumed.insert(plan.assumed.begin(), std::move(sentence));
  };
  if (is_of_images(config))
    return first(
        fmt::format("model type \"{}\" is of images, by patch_size and no vocabulary: "
                    "positions of two axes are not read of a configuration",
                    plan.model_type));
  first(
      fmt::format("model type \"{}\" is unknown: its keys are read as Transformers reads those of "
                  "a Llama, with a {} mask, and layer_types, sliding_window and "
                  "partial_rotary_factor are obeyed where they are given",
                  plan.model_type, plan.layers.front().causal ? "causal" : "two-sided"));
}

/// "modeling_x.XForCausalLM", of code that comes with the weights.
std::string own_code(const Json& root) {
  const auto map = root.find("auto_map");
  if (map == root.end() || !map->is_object()) return "";
  for (const char* key : {"AutoModelForCausalLM", "AutoModel", "AutoModelForMaskedLM"})
    if (const auto named = map->find(key); named != map->end() && named->is_string())
      return named->get<std::string>();
  return "";
}

/// Layers of the decoder where those of the encoder are shown; 0 where there is none.
std::int64_t decoder_layers(const ConfigValues& config, const PositionPlan& plan) {
  const bool is_alone =
      has_decoder_alone(config) || config.class_name().find("EncoderModel") != std::string::npos;
  if (plan.layers.front().causal || is_alone) return 0;
  for (const char* key : {"num_decoder_layers", "decoder_layers"})
    if (config.has(key)) return config.integer(key, 0, most_layers).value.value_or(0);
  const bool is_t5 = config.type() && config.type()->encoding == "t5";
  return is_t5 && config.type()->name != "mpnet" ? static_cast<std::int64_t>(plan.layers.size())
                                                 : 0;
}

/// The values without those of one stack: keys that begin with its name.
Json without_stack(Json values, const std::string& stack) {
  for (auto value = values.begin(); value != values.end();)
    value = value.key().starts_with(stack + "_") || value.key().starts_with("num_" + stack + "_")
                ? values.erase(value)
                : std::next(value);
  return values;
}

/// The stack of an encoder-decoder that is not in `layers`: a decoder by its own keys, as its class
/// alone reads them, or an encoder beside a decoder.
void read_other_stack(const Json& values, const ConfigValues& config, const std::string& prefix,
                      const ReadOptions& options, PositionPlan& plan) {
  const std::int64_t layers = decoder_layers(config, plan);
  const bool is_decoder = layers > 0;
  if (!is_decoder && (!config.has("encoder_num_hidden_layers") || !plan.layers.front().causal))
    return;
  Json own = without_stack(values, is_decoder ? "encoder" : "decoder");
  if (is_decoder) {
    own["decoder_layers"] = layers;
    own["architectures"] = {"ForCausalLM"};
  }
  const ConfigValues other(std::move(own), config.type(), config.file(), prefix);
  std::vector<std::string> assumed;
  plan.other = layer_schedule(other, assumed);
  const bool over_frames = type_of(config).encoding == "conformer";
  for (LayerPlan& layer : plan.other) {
    read_layer(other.of_layer(layer.layer), options, layer, assumed);
    layer.causal = is_decoder && !over_frames;
  }
  plan.keys_read.insert(other.asked().begin(), other.asked().end());
  if (over_frames)
    assume(plan.assumed,
           "the decoder looks both ways, over what the encoder returns of each frame");
  else if (config.type())
    assume(plan.assumed, "the decoder attends to what the encoder returns, too, by contents alone");
}

/// What else the reader of a plan should know.
void tell(const Json& root, const ConfigValues& config, PositionPlan& plan) {
  if (root.contains("vision_config"))
    assume(plan.assumed, "layers of the text are shown, and those of the vision encoder are not");
  if (const std::string code = own_code(root); !code.empty())
    assume(plan.assumed,
           fmt::format("auto_map names {}, code beside the weights, which may do otherwise than "
                       "what is shown: the {}",
                       printable(code), config.code()));
  const bool sized = config.find_in_file("num_hidden_layers") ||
                     config.find_in_file("hidden_size") ||
                     config.find_in_file("num_attention_heads") || type_of(config).counted_by_list;
  if (config.type() && !sized)
    assume(plan.assumed,
           fmt::format("the file has no size: all are defaults of {}", config.type()->name));
  const char* both_ways = "use_bidirectional_attention";
  if (config.is_unread(both_ways) && config.find_in_file(both_ways))
    assume(plan.assumed, config.not_read(both_ways) + ": the mask stays causal");
  if (type_of(config).name == "gemma" && config.has(both_ways))
    assume(plan.assumed, fmt::format("{} acts where attention gets no mask: eager attention stays "
                                     "causal, and that of PyTorch looks both ways",
                                     config.key_name(both_ways)));
  if (config.text("encoder_attention_type") == "transient-global")
    assume(plan.assumed,
           "layers of the encoder attend to sums of blocks of tokens, too, which are not shown");
  if (config.text("attention_type") == "block_sparse")
    assume(plan.assumed,
           "attention_type block_sparse hides keys of long texts by blocks, which is not shown");
  if (has_decoder_alone(config) && plan.layers.front().causal)
    assume(plan.assumed, "layers of the decoder are shown, which the class has alone");
}

}  // namespace

ConfigValues text_config(std::string_view text, const std::string& file) {
  std::vector<std::string> assumed;
  TextConfig part = text_part(parse_config(text, file));
  obey_class(part, assumed);
  const ModelType* type = find_model_type(part.model_type);
  return {std::move(part.values), type, file, std::move(part.prefix)};
}

PositionPlan read_config(std::string_view text, const std::string& file,
                         const ReadOptions& options) {
  PositionPlan plan{.source = file, .format = "config.json"};
  const Json given = parse_config(text, file);
  if (is_params_file(given)) return read_params_file(given, file, options);
  const Json root = in_names_of_transformers(given, file, plan);
  TextConfig part = text_part(root);
  if (plan.format == "config.json") obey_class(part, plan.assumed);
  plan.model_type = part.model_type;
  if (plan.model_type.size() > 64)
    throw DataError(file, "has a model_type of more than 64 letters", "correct it");
  const ModelType* type = find_model_type(part.model_type);
  const ConfigValues config(part.values, type, file, part.prefix);
  plan.layers = layer_schedule(config, plan.assumed);
  const bool images = is_of_images(config);
  for (LayerPlan& layer : plan.layers) {
    if (images)
      read_image_layer(config, layer);
    else
      read_layer(config.of_layer(layer.layer), options, layer, plan.assumed);
  }
  if (const auto longest = config.integer("max_position_embeddings", 0, most_tokens); longest.value)
    plan.longest = *longest.value;
  if (!type) tell_of_unknown(config, plan);
  tell(root, config, plan);
  plan.keys_read = config.asked();
  if (!images) read_other_stack(part.values, config, part.prefix, options, plan);
  return plan;
}

}  // namespace orrery
