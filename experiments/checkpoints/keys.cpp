#include "experiments/checkpoints/keys.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "core/errors.h"

namespace orrery::checkpoints {
namespace {

using model_files::ConfigValues;
using model_files::GgufKeys;
using model_files::LayerPlan;
using model_files::PositionPlan;
using model_files::Valued;

constexpr std::int64_t most_heads = 1 << 16;
constexpr std::int64_t most_channels_of_model = std::int64_t{1} << 24;
constexpr std::int64_t most_layers = 1 << 16;

struct ActivationName {
  std::string_view name;
  Activation activation;
};

// ACT2FN of Transformers, activations.py.
constexpr ActivationName activation_names[] = {
    {"gelu", Activation::gelu},
    {"gelu_new", Activation::gelu_tanh},
    {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"gelu_fast", Activation::gelu_tanh},
    {"gelu_python", Activation::gelu},
    {"quick_gelu", Activation::gelu_quick},
    {"relu", Activation::relu},
    {"relu2", Activation::squared_relu},
    {"silu", Activation::silu},
    {"swish", Activation::silu},
    {"tanh", Activation::tanh},
};

std::optional<Activation> activation_called(std::string_view name) {
  for (const ActivationName& one : activation_names)
    if (one.name == name) return one.activation;
  return std::nullopt;
}

constexpr const char* known_activations =
    "gelu, gelu_new, gelu_pytorch_tanh, quick_gelu, relu, relu2, silu or tanh";

Activation activation_of(const ConfigValues& config, std::string_view key, std::string_view name) {
  if (const auto activation = activation_called(name)) return *activation;
  config.refuse(key, fmt::format("\"{}\": {}", name, known_activations));
}

double number_or(const ConfigValues& config, std::string_view key, double usual) {
  return config.number(key).value.value_or(usual);
}

bool flag_or(const ConfigValues& config, std::string_view key, bool usual) {
  return config.has(key) ? config.flag(key) : usual;
}

// ---- What all families have --------------------------------------------------------------------

TransformerDesign design_of(const Family& family) {
  TransformerDesign design;
  design.norm = {.kind = family.norm, .epsilon = family.epsilon, .adds_one = family.adds_one};
  design.norm_place = family.place;
  design.order = family.order;
  design.embedding_norm = family.embedding_norm;
  design.final_norm = family.final_norm;
  design.feed_forward = {.activation = family.activation, .gated = family.gated};
  design.attention.qk_norm.over = family.qk_norm;
  return design;
}

[[noreturn]] void refuse_layer(const PositionPlan& plan, const LayerPlan& layer,
                               std::string_view what) {
  throw DataError(fmt::format("{}: layer {}", plan.source, layer.layer),
                  fmt::format("{}, which no family computes", what),
                  "see its positions with orrery positions, or take another model");
}

LogitRule rule_of(const PositionPlan& plan, const LayerPlan& layer) {
  if (layer.temperature) refuse_layer(plan, layer, "multiplies queries by a factor of position");
  return {};
}

/// T5 and DeBERTa have a scale of their own, which is the plan's as well.
void add_layers(const PositionPlan& plan, TransformerDesign& design) {
  for (const LayerPlan& layer : plan.layers) {
    if (layer.window_in_blocks) refuse_layer(plan, layer, "attends within blocks of tokens");
    if (layer.indexer) refuse_layer(plan, layer, "picks its keys by another attention");
    design.layers.push_back({.window = layer.window.value_or(0),
                             .rule = rule_of(plan, layer),
                             .scale = layer.softmax_scale > 0
                                          ? std::optional<double>(layer.softmax_scale)
                                          : std::nullopt});
  }
  if (plan.layers.empty())
    throw DataError(plan.source, "describes no layer", "give the files of a whole model");
  const LayerPlan& first = plan.layers.front();
  for (const LayerPlan& layer : plan.layers) {
    if (layer.causal != first.causal) refuse_layer(plan, layer, "has another mask than the first");
    if (layer.rope.d_head != first.rope.d_head)
      refuse_layer(plan, layer, "has heads of another width than the first");
  }
  design.attention.causal = first.causal;
  design.attention.d_head = design.attention.d_value = first.rope.d_head;
}

void finish(const Family& family, ModelKeys& keys) {
  TransformerDesign& design = keys.design;
  design.attention.qk_norm.norm = design.norm;
  if (family.scales_embedding)
    design.embedding_scale = std::sqrt(static_cast<double>(keys.d_model));
  if (family.head_transform == HeadTransform::as_feed_forward)
    design.head_transform = design.feed_forward.activation;
  if (family.head_transform == HeadTransform::gelu) design.head_transform = Activation::gelu;
  if (family.norms_embedding_alone) design.layers.front().attention_norm = false;
}

// ---- config.json -------------------------------------------------------------------------------

Activation config_activation(const Family& family, const ConfigValues& config) {
  const std::string name = config.text(family.activation_key);
  if (name.empty()) return family.activation;
  // The first files of Gemma say "gelu" and mean its tanh form.
  if (family.own_keys == OwnKeys::gemma && name == "gelu") return Activation::gelu_tanh;
  return activation_of(config, family.activation_key, name);
}

/// "gated-gelu": T5 v1.1, whose gelu is the tanh form.
void read_t5(const ConfigValues& config, ModelKeys& keys) {
  FeedForwardDesign& design = keys.design.feed_forward;
  std::string name = config.text("feed_forward_proj");
  if (name.empty()) name = "relu";
  design.gated = name.starts_with("gated-");
  if (design.gated) name = name.substr(6);
  design.activation = name == "gelu" && design.gated
                          ? Activation::gelu_tanh
                          : activation_of(config, "feed_forward_proj", name);
  if (flag_or(config, "scale_decoder_outputs", flag_or(config, "tie_word_embeddings", true)))
    keys.design.logit_scale = 1 / std::sqrt(static_cast<double>(keys.d_model));
}

void read_falcon(const ConfigValues& config, TransformerDesign& design) {
  const bool newer = config.flag("new_decoder_architecture");
  const double norms = number_or(config, "num_ln_in_parallel_attn", newer ? 2 : 1);
  if (newer && norms == 2)
    design.order = BlockOrder::parallel;
  else if (!newer && !flag_or(config, "parallel_attn", true))
    design.order = BlockOrder::sequential;
}

void read_gpt2(const ConfigValues& config, TransformerDesign& design) {
  const bool scaled = flag_or(config, "scale_attn_weights", true);
  const bool by_layer = config.flag("scale_attn_by_inverse_layer_idx");
  double divisor = 1;
  for (LayerDesign& layer : design.layers) {
    if (!scaled) layer.scale = 1;
    if (by_layer && layer.scale) layer.scale = *layer.scale / divisor;
    divisor += 1;
  }
}

/// 0, which is none, for a null.
double cap_of(const ConfigValues& config, const char* key, double usual) {
  return config.is_given(key) ? number_or(config, key, 0) : usual;
}

void refuse_unknown_options(const ConfigValues& config) {
  for (const char* key : {"talking_head", "use_bidirectional_attention"})
    if (config.flag(key)) config.refuse(key, "false: the family computes without it");
  for (const char* key : {"clip_qkv", "num_local_experts", "num_experts"})
    if (config.has(key) && number_or(config, key, 0) > 0)
      config.refuse(key, "null: the family computes without it");
}

void read_deberta_v2(const ConfigValues& config, TransformerDesign& design) {
  if (number_or(config, "conv_kernel_size", 0) < 1) return;
  const std::string name = config.text("conv_act");
  design.layers.front().convolution =
      name.empty() ? Activation::tanh : activation_of(config, "conv_act", name);
}

/// The window that memory leaves where every query sees as many keys.
void read_transformer_xl(const ConfigValues& config, TransformerDesign& design) {
  if (config.flag("pre_lnorm")) design.norm_place = NormPlace::before;
  if (!config.flag("same_length")) return;
  const auto keys = config.integer("mem_len", 0, most_channels_of_model);
  for (LayerDesign& layer : design.layers) layer.window = keys.value.value_or(0);
}

/// Queries see as many keys behind them as there is memory, which no file says.
void read_xlnet(const ConfigValues& config, TransformerDesign& design) {
  if (!design.attention.causal || !config.flag("same_length")) return;
  if (number_or(config, "mem_len", 0) > 0)
    config.refuse("same_length", "false: with a memory, the window would be as long as that");
  for (LayerDesign& layer : design.layers) layer.window = 1;
}

void read_own_keys(const Family& family, const ConfigValues& config, ModelKeys& keys) {
  TransformerDesign& design = keys.design;
  switch (family.own_keys) {
    case OwnKeys::t5:
      return read_t5(config, keys);
    case OwnKeys::falcon:
      return read_falcon(config, design);
    case OwnKeys::gpt2:
      return read_gpt2(config, design);
    case OwnKeys::neox:
      if (!flag_or(config, "use_parallel_residual", true)) design.order = BlockOrder::sequential;
      return;
    case OwnKeys::bloom:
      if (config.flag("apply_residual_connection_post_layernorm"))
        design.norm_place = NormPlace::through;
      return;
    case OwnKeys::modernbert:
      if (const std::string name = config.text("classifier_activation"); !name.empty())
        design.head_transform = activation_of(config, "classifier_activation", name);
      return;
    case OwnKeys::deberta_v2:
      return read_deberta_v2(config, design);
    case OwnKeys::xlnet:
      return read_xlnet(config, design);
    case OwnKeys::transformer_xl:
      return read_transformer_xl(config, design);
    case OwnKeys::gemma:
    case OwnKeys::none:
      return;
  }
}

// ---- GGUF --------------------------------------------------------------------------------------

/// ModernBERT's norms have the key of rms norms, where its config.json says norm_eps alone.
double gguf_epsilon(const Family& family, const GgufKeys& file) {
  constexpr const char* keys[] = {"attention.layer_norm_rms_epsilon",
                                  "attention.layer_norm_epsilon"};
  const bool rms = family.norm == NormKind::rms;
  const auto own = file.number(keys[rms ? 0 : 1]), other = file.number(keys[rms ? 1 : 0]);
  return own.value.value_or(other.value.value_or(family.epsilon));
}

Activation gguf_activation(const Family& family, const GgufKeys& file) {
  const std::string name = file.text("hidden_activation");
  if (name.empty()) return family.activation;
  if (const auto activation = activation_called(name)) return *activation;
  file.refuse("hidden_activation", known_activations);
}

/// T5 v1.1 has gates, a tanh gelu and a head of its own; T5 none of these, and scales its logits.
void read_gguf_t5(const GgufKeys& file, ModelKeys& keys) {
  FeedForwardDesign& design = keys.design.feed_forward;
  design.gated = file.has_tensor("enc.blk.0.ffn_gate.weight");
  design.activation = design.gated ? Activation::gelu_tanh : Activation::relu;
  if (!file.has_tensor("output.weight"))
    keys.design.logit_scale = 1 / std::sqrt(static_cast<double>(keys.d_model));
}

void read_own_gguf_keys(const Family& family, const GgufKeys& file, ModelKeys& keys) {
  if (file.flag("use_parallel_residual") == false) keys.design.order = BlockOrder::sequential;
  if (family.own_keys == OwnKeys::falcon && file.has_tensor("blk.0.attn_norm_2.weight"))
    keys.design.order = BlockOrder::parallel;
  if (family.own_keys == OwnKeys::t5) read_gguf_t5(file, keys);
}

ModelKeys decoder_of(ModelKeys encoder, Valued<std::int64_t> count) {
  ModelKeys keys = std::move(encoder);
  TransformerDesign& design = keys.design;
  design.reads_memory = true;
  design.attention.causal = true;
  const LayerDesign layer = design.layers.front();
  if (count.value) design.layers.assign(static_cast<std::size_t>(*count.value), layer);
  return keys;
}

}  // namespace

ModelKeys config_keys(const Family& family, const ConfigValues& config, const PositionPlan& plan) {
  refuse_unknown_options(config);
  ModelKeys keys{.design = design_of(family)};
  add_layers(plan, keys.design);
  TransformerDesign& design = keys.design;
  design.norm.epsilon = number_or(config, family.epsilon_key, family.epsilon);
  design.attention.softcap = cap_of(config, "attn_logit_softcapping", family.attention_softcap);
  design.logit_softcap = cap_of(config, "final_logit_softcapping", family.logit_softcap);
  if (family.own_keys != OwnKeys::t5)
    design.feed_forward.activation = config_activation(family, config);
  design.attention.heads = config.integer("num_attention_heads", 1, most_heads).value.value_or(0);
  keys.d_model = config.integer("hidden_size", 1, most_channels_of_model).value.value_or(0);
  for (const char* key : {"num_attention_heads", "hidden_size"})
    if (!config.has(key)) config.refuse(key, "given");
  keys.tied = flag_or(config, "tie_word_embeddings", family.tied);
  finish(family, keys);
  read_own_keys(family, config, keys);
  return keys;
}

ModelKeys gguf_model_keys(const Family& family, const GgufKeys& file, const PositionPlan& plan) {
  ModelKeys keys{.design = design_of(family), .tied = true};
  TransformerDesign& design = keys.design;
  add_layers(plan, design);
  if (const auto experts = file.integer("expert_count", 0, most_heads);
      experts.value.value_or(0) > 0)
    file.refuse("expert_count", "0: a mixture of experts is no family that runs");
  design.norm.epsilon = gguf_epsilon(family, file);
  design.norm.adds_one = false;
  design.feed_forward.activation = gguf_activation(family, file);
  design.attention.softcap =
      file.number("attn_logit_softcapping").value.value_or(family.attention_softcap);
  design.logit_softcap =
      file.number("final_logit_softcapping").value.value_or(family.logit_softcap);
  design.attention.heads = file.integer("attention.head_count", 1, most_heads).value.value_or(0);
  keys.d_model = file.integer("embedding_length", 1, most_channels_of_model).value.value_or(0);
  if (design.attention.heads == 0) file.refuse("attention.head_count", "given");
  if (keys.d_model == 0) file.refuse("embedding_length", "given");
  finish(family, keys);
  read_own_gguf_keys(family, file, keys);
  return keys;
}

ModelKeys decoder_keys(const ConfigValues& config, ModelKeys encoder) {
  return decoder_of(std::move(encoder), config.integer("num_decoder_layers", 1, most_layers));
}

ModelKeys gguf_decoder_keys(const GgufKeys& file, ModelKeys encoder) {
  return decoder_of(std::move(encoder), file.integer("decoder_block_count", 1, most_layers));
}

}  // namespace orrery::checkpoints
