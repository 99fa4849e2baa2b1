#include "experiments/checkpoints/keys.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/errors.h"

namespace orrery {
namespace {

using OwnKeys = Family::OwnKeys;
using HeadTransform = Family::HeadTransform;

constexpr std::int64_t most_heads = 1 << 16;
constexpr std::int64_t most_channels_of_model = std::int64_t{1} << 24;
constexpr std::int64_t most_layers = 1 << 16;
constexpr std::int64_t most_rows = std::int64_t{1} << 30;  // of a table: one more is an int32

constexpr const char* known_activations =
    "gelu, gelu_new, gelu_pytorch_tanh, quick_gelu, relu, relu2, silu or tanh";

Activation activation_of(const ConfigValues& config, std::string_view key, std::string_view name) {
  if (const auto activation = activation_called(name)) return *activation;
  config.refuse(key, fmt::format("\"{}\": {}", name, known_activations));
}

/// Added to a mean square, of which a root is taken.
constexpr std::string_view epsilon_rule = "a number of 0 or more";

template <class File>
double number_or(const File& file, const std::string& key, double usual) {
  return file.number(key).value.value_or(usual);
}

bool flag_or(const ConfigValues& config, std::string_view key, bool usual) {
  return config.has(key) ? config.flag(key) : usual;
}

template <class File>
Index size_of(const File& file, const std::string& key, std::int64_t usual = 0,
              std::int64_t least = 1) {
  return file.integer(key, least, most_rows).value.value_or(usual);
}

/// Whether a tensor is there, where a key that is given says it.
void put_presence(const ConfigValues& config, std::string_view key, Presence& presence) {
  if (!key.empty() && config.has(key))
    presence = config.flag(key) ? Presence::needed : Presence::none;
}

// ---- What all families have --------------------------------------------------------------------

TransformerDesign design_of(const Family& family) {
  TransformerDesign design;
  design.norm = {
      .kind = family.norm, .epsilon = family.epsilon, .added = family.adds_one ? 1.0 : 0.0};
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
                  "see its positions with orrery run model_layers, or take another model");
}

/// T5 and DeBERTa have a scale of their own, which is the plan's as well.
void add_layers(const PositionPlan& plan, TransformerDesign& design) {
  for (const LayerPlan& layer : plan.layers) {
    if (layer.window_in_blocks) refuse_layer(plan, layer, "attends within blocks of tokens");
    if (layer.indexer) refuse_layer(plan, layer, "picks its keys by another attention");
    if (layer.temperature) refuse_layer(plan, layer, "multiplies queries by a factor of position");
    design.layers.push_back({.window = layer.window.value_or(0),
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

/// Sizes of tensors, and which of them are there.
void read_tensors(const Family& family, const ConfigValues& config, const PositionPlan& plan,
                  ModelKeys& keys) {
  keys.vocabulary = size_of(config, "vocab_size");
  keys.d_embedding = size_of(config, "embedding_size");
  if (!family.inner_key.empty()) keys.d_inner = size_of(config, std::string(family.inner_key));
  keys.positions = size_of(config, "max_position_embeddings");
  keys.segments = size_of(config, "type_vocab_size", 0, 0);
  if (config.has("num_key_value_heads"))
    keys.design.attention.kv_heads = size_of(config, "num_key_value_heads");
  keys.has = family.has;
  put_presence(config, family.attention_bias_key, keys.has.attention_bias);
  put_presence(config, family.attention_bias_key, keys.has.output_bias);
  put_presence(config, family.inner_bias_key, keys.has.inner_bias);
  const LayerPlan& first = plan.layers.front();
  if (first.encoding == "learned" || first.beside == "learned")
    keys.has.positions = Presence::needed;
  if (config.has("type_vocab_size"))
    keys.has.segments = keys.segments > 0 ? Presence::needed : Presence::none;
  if (family.counts_behind_pad)
    keys.pad = static_cast<std::int32_t>(size_of(config, "pad_token_id", 1, 0));
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

/// By 1/√d_model. mT5 did where its head was tied until version 5 of Transformers, which ties every mT5 and scales none.
bool scales_logits(const ConfigValues& config) {
  const bool tied = flag_or(config, "tie_word_embeddings", true);
  if (!config.type() || config.type()->name != "mt5")
    return flag_or(config, "scale_decoder_outputs", tied);
  constexpr int first_without = 5;
  return tied && std::atoi(config.text("transformers_version").c_str()) < first_without;
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
  if (scales_logits(config))
    keys.design.logit_scale = 1 / std::sqrt(static_cast<double>(keys.d_model));
}

/// Heads of keys: as many as said, one, or one for each query's.
void read_falcon(const ConfigValues& config, ModelKeys& keys) {
  TransformerDesign& design = keys.design;
  const bool newer = config.flag("new_decoder_architecture");
  AttentionDesign& attention = design.attention;
  if (newer)
    attention.kv_heads = size_of(config, "num_kv_heads", attention.heads);
  else
    attention.kv_heads = flag_or(config, "multi_query", true) ? 1 : attention.heads;
  const double norms = number_or(config, "num_ln_in_parallel_attn", newer ? 2 : 1);
  if (newer && norms == 2)
    design.order = BlockOrder::parallel;
  else if (!newer && !flag_or(config, "parallel_attn", true))
    design.order = BlockOrder::sequential;
}

/// 0, which is none, for a null.
double cap_of(const ConfigValues& config, const char* key, double usual) {
  return config.is_given(key) ? number_or(config, key, 0) : usual;
}

void refuse_unknown_options(const Family& family, const ConfigValues& config) {
  if (config.flag("talking_head"))
    config.refuse("talking_head", "false: the family computes without it");
  if (family.own_keys != OwnKeys::gemma3 && config.flag("use_bidirectional_attention"))
    config.refuse("use_bidirectional_attention",
                  "false: whether its code obeys depends on the implementation of attention");
  for (const char* key : {"clip_qkv", "num_local_experts", "num_experts"})
    if (config.has(key) && number_or(config, key, 0) > 0)
      config.refuse(key, "null: the family computes without it");
}

/// DeBERTa has no segments of its own.
void read_deberta(const ConfigValues& config, ModelKeys& keys) {
  keys.has.segments = keys.segments > 0 ? Presence::needed : Presence::none;
  keys.shares_attention = config.flag("share_att_key");
  // The head of Microsoft's own files has no matrix.
  if (!flag_or(config, "legacy", true)) keys.tied = true;
}

void read_deberta_v2(const ConfigValues& config, ModelKeys& keys) {
  read_deberta(config, keys);
  keys.convolution_taps = size_of(config, "conv_kernel_size", 0, 0);
  if (keys.convolution_taps == 0) return;
  if (keys.convolution_taps % 2 == 0)
    config.refuse("conv_kernel_size", "odd, so that a token has as many on either side");
  keys.convolution_groups = size_of(config, "conv_groups", 1);
  if (keys.d_model % keys.convolution_groups != 0)
    config.refuse("conv_groups", fmt::format("a divisor of {} (hidden_size)", keys.d_model));
  const std::string name = config.text("conv_act");
  keys.design.layers.front().convolution =
      name.empty() ? Activation::tanh : activation_of(config, "conv_act", name);
}

void read_modernbert(const ConfigValues& config, ModelKeys& keys) {
  put_presence(config, "norm_bias", keys.has.norm_bias);
  put_presence(config, "decoder_bias", keys.has.head_bias);
  put_presence(config, "classifier_bias", keys.has.transform_bias);
  if (const std::string name = config.text("classifier_activation"); !name.empty())
    keys.design.head_transform = activation_of(config, "classifier_activation", name);
}

/// The class keeps the cap of attention and passes it to nothing.
void read_gemma3(const ConfigValues& config, ModelKeys& keys) {
  if (keys.design.attention.softcap == 0) return;
  keys.design.attention.softcap = 0;
  keys.assumed.push_back(
      fmt::format("{}: the cap is left out, as in the {}, which stores it and never uses it",
                  config.key_name("attn_logit_softcapping"), config.code()));
}

void read_bloom(const ConfigValues& config, ModelKeys& keys) {
  if (config.flag("apply_residual_connection_post_layernorm"))
    keys.design.norm_place = NormPlace::through;
  if (!config.flag("slow_but_exact") || number_or(config, "pretraining_tp", 1) <= 1) return;
  keys.adds_output_biases = false;
  keys.assumed.push_back(
      fmt::format("{}: the biases of W_o and W_down are left out, as in the {}, which adds them "
                  "without this key alone",
                  config.key_name("slow_but_exact"), config.code()));
}

void read_transformer_xl(const ConfigValues& config, ModelKeys& keys) {
  keys.d_embedding = size_of(config, "d_embed");
  if (number_or(config, "attn_type", 0) != 0)
    config.refuse("attn_type", "0: no other kind of attention of Transformer-XL is computed");
  if (config.flag("pre_lnorm")) keys.design.norm_place = NormPlace::before;
}

/// No file says how much memory there is, which with same_length is the window.
void read_xlnet(const ConfigValues& config, ModelKeys& keys) {
  if (keys.design.attention.causal && config.flag("same_length") &&
      number_or(config, "mem_len", 0) > 0)
    config.refuse("same_length", "false: with a memory, the window would be as long as that");
}

void read_neox(const ConfigValues& config, ModelKeys& keys) {
  if (!flag_or(config, "use_parallel_residual", true)) keys.design.order = BlockOrder::sequential;
}

using ReadOwnKeys = void (*)(const ConfigValues&, ModelKeys&);
constexpr std::pair<OwnKeys, ReadOwnKeys> own_readers[] = {
    {OwnKeys::t5, read_t5},
    {OwnKeys::falcon, read_falcon},
    {OwnKeys::neox, read_neox},
    {OwnKeys::bloom, read_bloom},
    {OwnKeys::modernbert, read_modernbert},
    {OwnKeys::deberta, read_deberta},
    {OwnKeys::deberta_v2, read_deberta_v2},
    {OwnKeys::xlnet, read_xlnet},
    {OwnKeys::transformer_xl, read_transformer_xl},
    {OwnKeys::gemma3, read_gemma3}};

// ---- GGUF --------------------------------------------------------------------------------------

/// ModernBERT's norms have the key of rms norms, where its config.json says norm_eps alone.
double gguf_epsilon(const Family& family, const GgufKeys& file) {
  constexpr const char* keys[] = {"attention.layer_norm_rms_epsilon",
                                  "attention.layer_norm_epsilon"};
  const bool rms = family.norm == NormKind::rms;
  const auto own = file.number(keys[rms ? 0 : 1]), other = file.number(keys[rms ? 1 : 0]);
  for (const int i : {0, 1})
    if (file.number(keys[i]).value.value_or(0) < 0) file.refuse(keys[i], epsilon_rule);
  return own.value.value_or(other.value.value_or(family.epsilon));
}

Activation gguf_activation(const Family& family, const GgufKeys& file) {
  const std::string name = file.text("hidden_activation");
  if (name.empty()) return family.activation;
  if (const auto activation = activation_called(name)) return *activation;
  file.refuse("hidden_activation", known_activations);
}

void read_gguf_tensors(const Family& family, const GgufKeys& file, const PositionPlan& plan,
                       ModelKeys& keys) {
  keys.vocabulary = size_of(file, "vocab_size");
  // Of Falcon the converter writes 4 d_model, whatever the model has.
  if (family.own_keys != OwnKeys::falcon) keys.d_inner = size_of(file, "feed_forward_length");
  keys.design.attention.kv_heads = size_of(file, "attention.head_count_kv");
  keys.has = family.has;
  // No key says it there.
  if (!family.attention_bias_key.empty())
    keys.has.attention_bias = keys.has.output_bias = Presence::as_stored;
  if (!family.inner_bias_key.empty()) keys.has.inner_bias = Presence::as_stored;
  if (plan.layers.front().encoding != "learned") return;
  keys.has.positions = Presence::needed;
  keys.positions = size_of(file, "context_length");
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

ModelKeys decoder_of(ModelKeys keys, Valued<std::int64_t> count) {
  TransformerDesign& design = keys.design;
  design.reads_memory = true;
  design.attention.causal = true;
  const LayerDesign layer = design.layers.front();
  if (count.value) design.layers.assign(static_cast<std::size_t>(*count.value), layer);
  return keys;
}

}  // namespace

ModelKeys model_keys(const Family& family, const ConfigValues& config, const PositionPlan& plan) {
  refuse_unknown_options(family, config);
  ModelKeys keys{.design = design_of(family)};
  add_layers(plan, keys.design);
  TransformerDesign& design = keys.design;
  design.norm.epsilon = number_or(config, std::string(family.epsilon_key), family.epsilon);
  if (design.norm.epsilon < 0) config.refuse(family.epsilon_key, epsilon_rule);
  design.attention.softcap = cap_of(config, "attn_logit_softcapping", family.attention_softcap);
  design.logit_softcap = cap_of(config, "final_logit_softcapping", family.logit_softcap);
  if (family.own_keys != OwnKeys::t5)
    design.feed_forward.activation = config_activation(family, config);
  design.attention.heads = config.integer("num_attention_heads", 1, most_heads).value.value_or(0);
  keys.d_model = config.integer("hidden_size", 1, most_channels_of_model).value.value_or(0);
  for (const char* key : {"num_attention_heads", "hidden_size"})
    if (!config.has(key)) config.refuse(key, "given");
  keys.tied = flag_or(config, "tie_word_embeddings", family.tied);
  read_tensors(family, config, plan, keys);
  finish(family, keys);
  for (const auto& [own, read] : own_readers)
    if (own == family.own_keys) read(config, keys);
  return keys;
}

ModelKeys model_keys(const Family& family, const GgufKeys& file, const PositionPlan& plan) {
  ModelKeys keys{.design = design_of(family), .tied = true};
  TransformerDesign& design = keys.design;
  add_layers(plan, design);
  if (const auto experts = file.integer("expert_count", 0, most_heads);
      experts.value.value_or(0) > 0)
    file.refuse("expert_count", "0: a mixture of experts is no family that runs");
  design.norm.epsilon = gguf_epsilon(family, file);
  design.norm.added = 0;
  design.feed_forward.activation = gguf_activation(family, file);
  design.attention.softcap = number_or(file, "attn_logit_softcapping", family.attention_softcap);
  design.logit_softcap = number_or(file, "final_logit_softcapping", family.logit_softcap);
  design.attention.heads = file.integer("attention.head_count", 1, most_heads).value.value_or(0);
  keys.d_model = file.integer("embedding_length", 1, most_channels_of_model).value.value_or(0);
  if (design.attention.heads == 0) file.refuse("attention.head_count", "given");
  if (keys.d_model == 0) file.refuse("embedding_length", "given");
  read_gguf_tensors(family, file, plan, keys);
  finish(family, keys);
  read_own_gguf_keys(family, file, keys);
  return keys;
}

ModelKeys decoder_keys(const ConfigValues& config, ModelKeys encoder) {
  return decoder_of(std::move(encoder), config.integer("num_decoder_layers", 1, most_layers));
}

ModelKeys decoder_keys(const GgufKeys& file, ModelKeys encoder) {
  return decoder_of(std::move(encoder), file.integer("decoder_block_count", 1, most_layers));
}

}  // namespace orrery
