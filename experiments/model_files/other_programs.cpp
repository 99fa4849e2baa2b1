#include "experiments/model_files/other_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <span>
#include <utility>

#include "core/errors.h"
#include "experiments/model_files/config_plan.h"
#include "experiments/model_files/words.h"

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

/// Meta's code scales by constants, of which the file says no more than that it does.
void read_scaled_rope(const ConfigValues& config, Json& rope, std::vector<std::string>& assumed) {
  const Valued<double> factor = config.number("rope_scaling_factor"),
                       high = config.number("rope_high_freq_factor");
  rope["rope_type"] = "llama3";
  rope["factor"] = factor.value.value_or(8);
  rope["low_freq_factor"] = 1;
  rope["high_freq_factor"] = high.value.value_or(4);
  rope["original_max_position_embeddings"] = 8192;
  if (!factor.value)
    assume(assumed,
           "use_scaled_rope names no factor: 8 from 8192 tokens is shown, that of Llama 3.1; Llama "
           "3.2 of 1B and 3B has 32, which no key says");
}

/// A config.json that says the same.
Json translated(const ConfigValues& config, double base, std::vector<std::string>& assumed) {
  Json rope{{"rope_theta", base}};
  if (config.object("yarn")) read_yarn(config, rope);
  if (config.flag("use_scaled_rope")) read_scaled_rope(config, rope, assumed);
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
  const bool scaled = layer.rope.scaling.kind == RopeScalingKind::llama3;
  for (const auto& [key, name] : names)
    if (layer.reasons.count(key) > 0) layer.reasons[key] = fmt::format("{}: {}", file, name);
  for (auto& [key, reason] : layer.reasons)
    if (scaled && key.starts_with("rope."))
      reason = fmt::format("{}: use_scaled_rope, with the numbers of Meta's code", file);
  layer.reasons["pairing"] = "params.json: weights in the order of Meta's code";
  layer.reasons["encoding"] = "params.json";
}

/// Meta's files have sizes of their own for what Mistral's call head_dim and hidden_dim.
bool is_of_meta(const Json& root) {
  return root.contains("use_scaled_rope") || root.contains("multiple_of") ||
         root.contains("ffn_dim_multiplier");
}

void name_unread(const ConfigValues& config, PositionPlan& plan) {
  const std::vector<std::string> keys = config.unread({});
  if (!keys.empty())
    assume(plan.assumed, fmt::format("{}: not read, and of sizes beside attention for the most: {}",
                                     config.file(), fmt::join(keys, ", ")));
}

}  // namespace

bool is_params_file(const Json& root) {
  return !root.contains("model_type") && root.contains("dim") && root.contains("n_heads") &&
         root.contains("n_layers");
}

/// The plan of a params.json: its weights are those of Meta's code, with pairs (2t, 2t+1). Its keys
/// are translated to those of a config.json: yarn.alpha is beta_slow, yarn.beta beta_fast,
/// llama_4_scaling.beta the temperature.
PositionPlan read_params_file(const Json& root, const std::string& file,
                              const ReadOptions& options) {
  const ConfigValues config(root, nullptr, file, "");
  PositionPlan plan{.source = file,
                    .format = "params.json",
                    .model_type = is_of_meta(root) ? "llama" : "mistral"};
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
  const ConfigValues as(translated(config, *base.value, plan.assumed), &type, file, "");
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
  name_unread(config, plan);
  return plan;
}

namespace {

struct Renamed {
  std::string_view from, to;
};
constexpr Renamed of_tensorrt[] = {{"rotary_base", "rope_theta"},
                                   {"rotary_scaling", "rope_scaling"},
                                   {"rotary_pct", "partial_rotary_factor"},
                                   {"head_size", "head_dim"}};
constexpr Renamed of_mlc[] = {{"position_embedding_base", "rope_theta"},
                              {"context_window_size", "max_position_embeddings"},
                              {"sliding_window_size", "sliding_window"}};

/// A program whose files have a model's keys under names of its own.
struct Program {
  std::string_view name;
  std::string_view marks;   ///< keys that its files have, all of them
  std::string_view within;  ///< the object with the model's; empty: the file is it
  std::span<const Renamed> renamed;
};
constexpr Program programs[] = {
    {"TensorRT-LLM", "pretrained_config build_config", "pretrained_config", of_tensorrt},
    {"TensorRT-LLM", "architecture mapping", "", of_tensorrt},
    {"MLC", "model_config context_window_size", "model_config", of_mlc},
};

/// Files beside a model's, and those of programs whose keys are not read.
struct OtherFile {
  std::string_view marks, what, remedy;
};
constexpr OtherFile other_files[] = {
    {"_class_name _diffusers_version", "a configuration of Diffusers",
     "give that of a text model: text_encoder/config.json has one"},
    {"peft_type base_model_name_or_path", "the configuration of an adapter of PEFT",
     "give the config.json of its base model"},
    {"tokenizer_class added_tokens_decoder", "a tokenizer's configuration",
     "give the config.json beside it"},
    {"_from_model_config", "a configuration of generation", "give the config.json beside it"},
    {"model search", "a configuration of ONNX Runtime GenAI",
     "give the config.json of the model that was converted"},
    {"bits group_size", "a configuration of a quantization", "give the config.json beside it"},
};

bool has_all(const Json& root, std::string_view marks) {
  bool all = true;
  for_each_word(marks, [&](std::string_view key) { all = all && root.contains(key); });
  return all;
}

/// The model's part of a program's file in the names of Transformers, and which were exchanged.
Json renamed_part(const Json& root, const Program& program, std::vector<std::string>& exchanged) {
  Json part = program.within.empty() ? root : root[program.within];
  if (!part.is_object()) return root;
  for (const char* outer : {"model_type", "context_window_size", "sliding_window_size"})
    if (root.contains(outer) && !part.contains(outer)) part[outer] = root[outer];
  for (const Renamed& key : program.renamed) {
    const auto found = part.find(key.from);
    if (found == part.end() || part.contains(key.to)) continue;
    const Json value = *found;
    part.erase(key.from);
    if (value != -1) part[key.to] = value;  // which stands for none
    exchanged.push_back(fmt::format("{} as {}", key.from, key.to));
  }
  if (const auto name = part.find("architecture"); name != part.end() && name->is_string())
    part["architectures"] = {*name};
  return part;
}

}  // namespace

Json in_names_of_transformers(const Json& root, const std::string& file, PositionPlan& plan) {
  for (const Program& program : programs) {
    if (!has_all(root, program.marks)) continue;
    plan.format = fmt::format("configuration of {}", program.name);
    std::vector<std::string> exchanged;
    Json part = renamed_part(root, program, exchanged);
    if (!exchanged.empty())
      assume(plan.assumed, fmt::format("keys of {} are read under the names of Transformers: {}",
                                       program.name, fmt::join(exchanged, ", ")));
    return part;
  }
  for (const OtherFile& other : other_files)
    if (!root.contains("model_type") && has_all(root, other.marks))
      throw DataError(file, fmt::format("is {}", other.what), std::string(other.remedy));
  return root;
}

}  // namespace orrery
