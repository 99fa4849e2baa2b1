#include "experiments/model_files/read_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "core/errors.h"
#include "experiments/model_files/config_plan.h"
#include "experiments/model_files/gguf_model.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/rotation.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

using Architecture = GgufArchitecture;

bool is_sliding(const LayerPlan& layer) { return layer.type != "full_attention"; }

/// The first of some keys that is there.
Valued<std::int64_t> first_channels(const GgufModel& model, std::int64_t least, std::int64_t most,
                                    std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (auto channels = model.keys.integer(key, least, most); channels.value) return channels;
  return {};
}

/// embedding_length over the heads of the first layer, as llama.cpp has it in every layer.
Valued<std::int64_t> usual_head(const GgufModel& model, const LayerPlan& layer) {
  const auto width = model.keys.integer("embedding_length", 1, std::int64_t{1} << 24);
  auto heads = layer_integer(model, "attention.head_count", {});
  if (heads.value.value_or(0) == 0) heads = layer_integer(model, "attention.head_count", layer);
  if (!width.value || heads.value.value_or(0) == 0) return {};
  const std::int64_t channels = *width.value / *heads.value;
  if (channels < 1 || channels > most_channels)
    model.keys.refuse("embedding_length", "1 to 8192 times attention.head_count");
  return {channels, "embedding_length / attention.head_count"};
}

void read_head(const GgufModel& model, LayerPlan& layer) {
  Valued<std::int64_t> head =
      is_sliding(layer)
          ? first_channels(model, 1, most_channels,
                           {"attention.key_length_mla_swa", "attention.key_length_mla",
                            "attention.key_length_swa", "attention.key_length"})
          : first_channels(model, 1, most_channels,
                           {"attention.key_length_mla", "attention.key_length"});
  if (!head.value) head = usual_head(model, layer);
  if (!head.value) return;
  layer.rope.d_head = *head.value;
  layer.reasons["head_dim"] = head.reason;
}

/// Gemma's 27B takes the embedding's width per head, which is not the head's.
void put_gemma_scale(const GgufModel& model, LayerPlan& layer) {
  if (model.layers != model.architecture.wide_layers) return;
  if (const Valued<std::int64_t> width = usual_head(model, layer); width.value)
    put_softmax_scale(
        layer, 1 / std::sqrt(static_cast<double>(*width.value)),
        fmt::format("{}, with {} layers: embedding_length / attention.head_count to the "
                    "power −1/2",
                    code_reason(model), model.layers));
}

void read_softmax_scale(const GgufModel& model, LayerPlan& layer) {
  using Scale = Architecture::Scale;
  if (layer.rope.d_head > 0)
    put_softmax_scale(layer, 1 / std::sqrt(static_cast<double>(layer.rope.d_head)),
                      "head width to the power −1/2");
  switch (model.architecture.scale) {
    case Scale::head:
      return;
    case Scale::key:
      if (const auto scale = model.keys.number("attention.scale"); scale.value.value_or(0) != 0)
        put_softmax_scale(layer, *scale.value, scale.reason);
      return;
    case Scale::one:
      return put_softmax_scale(layer, 1, code_reason(model));
    case Scale::inverse:
      if (layer.rope.d_head > 0)
        put_softmax_scale(layer, 1.0 / static_cast<double>(layer.rope.d_head),
                          code_reason(model) + ": head width to the power −1");
      return;
    case Scale::rotated:
      if (layer.rope.rotary_dims > 0)
        put_softmax_scale(layer, 1 / std::sqrt(static_cast<double>(layer.rope.rotary_dims)),
                          code_reason(model) + ": rotated channels to the power −1/2");
      return;
    case Scale::gemma:
      return put_gemma_scale(model, layer);
    case Scale::absorbed:
      if (const double factor = latent_softmax_factor(model); factor != 1)
        put_softmax_scale(layer, layer.softmax_scale * factor,
                          layer.reasons["softmax_scale"] +
                              ", times (a (1 + yarn_log_multiplier ln s))² with yarn's a");
      return;
    case Scale::output_key: {
      const auto scale = model.keys.number("attention.output_scale");
      return put_softmax_scale(layer, scale.value.value_or(0.08838834764831845),
                               scale.value ? scale.reason : code_reason(model));
    }
  }
}

void read_slice(const GgufModel& model, LayerPlan& layer) {
  const Architecture& architecture = model.architecture;
  const bool own = is_sliding(layer) && architecture.sliding_width;
  Valued<std::int64_t> count{};
  if (own) count = model.keys.integer("rope.dimension_count_swa", 2, layer.rope.d_head);
  if (!count.value) count = model.keys.integer("rope.dimension_count", 2, layer.rope.d_head);
  if (!count.value) count = {layer.rope.d_head, "no rope.dimension_count: all of the head"};
  if (architecture.plain) count = {layer.rope.d_head, code_reason(model)};
  if (architecture.half_on_full && !is_sliding(layer))
    count = {*count.value / 2, "half of it: " + count.reason};
  layer.rope.rotary_dims = *count.value;
  layer.reasons["rotary_dims"] = count.reason;
  if (!architecture.latent || layer.rope.rotary_dims == layer.rope.d_head) return;
  layer.rope.begin = layer.rope.d_head - layer.rope.rotary_dims;
  layer.reasons["rotary_dims"] += ", the last channels";
}

Valued<double> base_of(const GgufModel& model, const LayerPlan& layer) {
  using SlidingBase = Architecture::SlidingBase;
  const SlidingBase rule = is_sliding(layer) ? model.architecture.sliding_base : SlidingBase::same;
  if (model.architecture.plain) return {usual_base, code_reason(model)};
  if (model.architecture.name == "deepseek4" && is_compressed(model, layer.layer))
    if (auto own = model.keys.number("attention.compress_rope_freq_base"); own.value) return own;
  if (rule != SlidingBase::same)
    if (auto own = model.keys.number("rope.freq_base_swa"); own.value) return own;
  if (rule == SlidingBase::given_or_10k)
    return {usual_base, code_reason(model) + ": no rope.freq_base_swa"};
  if (auto base = model.keys.number("rope.freq_base"); base.value) return base;
  return {usual_base, "default of llama.cpp: no rope.freq_base"};
}

/// base·α^(d/(d−2)), d the head's width, as Hunyuan's alpha does.
void stretch_base(const GgufModel& model, const LayerPlan& layer, Valued<double>& base) {
  const Valued<double> alpha = model.keys.number("rope.scaling.alpha");
  if (!model.architecture.alpha || alpha.value.value_or(0) <= 0 || layer.rope.d_head < 3) return;
  const auto d = static_cast<double>(layer.rope.d_head);
  base.value = *base.value * std::pow(*alpha.value, d / (d - 2));
  base.reason += fmt::format(", times {}^(d/(d − 2))", alpha.reason);
}

void read_base(const GgufModel& model, LayerPlan& layer) {
  Valued<double> base = base_of(model, layer);
  stretch_base(model, layer, base);
  if (!(*base.value > 1)) model.keys.refuse("rope.freq_base", "above 1");
  layer.rope.base = *base.value;
  layer.reasons["base"] = base.reason;
}

bool uses_sections(const GgufModel& model) {
  using Sections = Architecture::Sections;
  const auto* given = model.keys.list("rope.dimension_sections");
  if (!given || given->size() < 2 || given->size() > 8) return false;
  if (model.architecture.sections == Sections::chunked_if_given)
    return (*given)[0] > 0 && (*given)[1] > 0;
  return model.architecture.sections != Sections::ignored;
}

void read_sections(const GgufModel& model, LayerPlan& layer) {
  for (const double pairs : *model.keys.list("rope.dimension_sections"))
    if (pairs > 0 && pairs <= static_cast<double>(layer.rope.d_head))
      layer.rope.sections.push_back(static_cast<Index>(pairs));
  if (model.architecture.sections == Architecture::Sections::in_turns)
    layer.rope.design = AxisDesign::interleaved;
  layer.reasons["sections"] = model.keys.full("rope.dimension_sections");
}

void read_pairing(const GgufModel& model, LayerPlan& layer) {
  using Rows = Architecture::Rows;
  const bool sections = uses_sections(model);
  const bool norm = model.architecture.pairs == Architecture::Pairs::norm && !sections;
  const Rows rows = model.architecture.rows;
  layer.rope.pairing = norm ? RopePairing::interleaved : RopePairing::half_split;
  layer.rows_reordered =
      rows == Rows::reordered || (rows == Rows::reordered_with_sections && sections);
  layer.reasons["pairing"] = code_reason(model);
  if (layer.rows_reordered)
    layer.reasons["pairing"] += ", whose converter reorders rows of W_q and W_k to match";
  if (sections) read_sections(model, layer);
}

void read_rope_keys(const GgufModel& model, LayerPlan& layer) {
  put_encoding(layer, "rope", code_reason(model));
  read_pairing(model, layer);
  read_base(model, layer);
  read_slice(model, layer);
  try {
    if (!model.architecture.plain) read_gguf_scaling(model, layer);
    complete_rope(layer);
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: layer {}", model.keys.name(), layer.layer),
                    fmt::format("has RoPE settings that cannot be ({})", error.what()),
                    "convert the model again");
  }
}

void put_learned(const GgufModel& model, LayerPlan& layer, std::string reason) {
  put_encoding(layer, "learned", std::move(reason));
  if (const auto length = model.keys.integer("context_length", 1, most_tokens); length.value)
    put_param(layer, "learned.length", *length.value, length.reason);
}

void put_alibi(const GgufModel& model, LayerPlan& layer, double bias, const std::string& reason) {
  put_encoding(layer, "alibi", code_reason(model));
  if (const auto heads = layer_integer(model, "attention.head_count", layer); heads.value)
    put_param(layer, "heads", *heads.value, heads.reason);
  put_param(layer, "alibi.bias_max", bias, reason);
}

/// ALiBi by the architecture's bias or the key's; without either MPT may have learned positions.
void read_alibi(const GgufModel& model, LayerPlan& layer) {
  const double own = model.architecture.alibi_bias;
  if (own > 0) return put_alibi(model, layer, own, code_reason(model));
  const Valued<double> bias = model.keys.number("attention.max_alibi_bias");
  if (bias.value.value_or(0) > 0) return put_alibi(model, layer, *bias.value, bias.reason);
  if (model.architecture.name == "mpt" && model.keys.has_tensor("position_embd.weight"))
    return put_learned(model, layer, "tensor position_embd.weight");
  put_encoding(layer, "none",
               code_reason(model) + ": no ALiBi without attention.max_alibi_bias above 0");
}

/// The 7B of 32 layers has RoPE, the 13B of 40 ALiBi, and others neither.
bool read_baichuan(const GgufModel& model, LayerPlan& layer) {
  if (model.layers == 32) return false;
  const std::string reason = fmt::format("{}, with {} layers", code_reason(model), model.layers);
  if (model.layers == 40)
    put_alibi(model, layer, 8, reason);
  else
    put_encoding(layer, "none", reason);
  layer.reasons["encoding"] = reason;
  return true;
}

void read_t5(const GgufModel& model, LayerPlan& layer) {
  put_encoding(layer, "t5", code_reason(model));
  const auto buckets = model.keys.integer("attention.relative_buckets_count", 1, 1 << 20);
  if (buckets.value) put_param(layer, "t5.buckets", *buckets.value, buckets.reason);
  put_param(layer, "t5.max_distance", std::int64_t{128}, code_reason(model));
  put_param(layer, "t5.bidirectional", true, "layers of the encoder");
  put_softmax_scale(layer, 1, code_reason(model));
}

void read_other(const GgufModel& model, LayerPlan& layer) {
  const std::string_view encoding = model.architecture.encoding;
  if (encoding == "alibi") return read_alibi(model, layer);
  if (encoding == "learned") return put_learned(model, layer, code_reason(model));
  if (encoding == "t5") return read_t5(model, layer);
  put_encoding(layer, encoding, code_reason(model));
}

void read_temperature(const GgufModel& model, LayerPlan& layer) {
  using Rule = Architecture::Temperature;
  const Rule rule = model.architecture.temperature;
  if (rule == Rule::none) return;
  if (rule == Rule::llama4) {
    if (layer.encoding == "none")
      put_temperature(layer, {floor_of_next, {{"a", 0.1}, {"f", 8192}}}, code_reason(model));
    return;
  }
  const Valued<double> scale = model.keys.number("attention.temperature_scale");
  if (scale.value.value_or(0) == 0) return;
  Valued<std::int64_t> length =
      model.keys.integer(rule == Rule::by_keys ? "attention.temperature_length"
                                               : "rope.scaling.original_context_length",
                         1, most_tokens);
  if (!length.value && rule == Rule::of_training)
    length = model.keys.integer("context_length", 1, most_tokens);
  if (!length.value)
    return assume(model.assumed, "no length for attention.temperature_scale: it is left out");
  put_temperature(
      layer, {floor_of_length, {{"β", *scale.value}, {"L₀", static_cast<double>(*length.value)}}},
      scale.reason);
}

void read_mask(const GgufModel& model, LayerPlan& layer) {
  layer.causal = !model.architecture.bidirectional;
  layer.reasons["causal"] = code_reason(model);
  if (!layer.causal) return;
  if (model.architecture.full_stays_causal && layer.type == "full_attention") return;
  if (const auto causal = model.keys.flag("attention.causal"); causal) {
    layer.causal = *causal;
    layer.reasons["causal"] = model.keys.full("attention.causal");
  }
}

void read_encoding(const GgufModel& model, LayerPlan& layer) {
  std::string reason;
  if (model.architecture.name == "baichuan" && read_baichuan(model, layer)) return;
  if (model.architecture.pairs == Architecture::Pairs::none) return read_other(model, layer);
  if (has_no_positions(model, layer, reason)) return put_encoding(layer, "none", reason);
  if (layer.rope.d_head == 0)
    model.keys.refuse("attention.key_length", "given, nor is embedding_length");
  read_rope_keys(model, layer);
}

LayerPlan read_layer(const GgufModel& model, int number) {
  LayerPlan layer{.layer = number};
  read_gguf_window(model, layer);
  read_mask(model, layer);
  std::string reason;
  if (has_no_attention(model, layer, reason)) {
    layer.window.reset();
    put_encoding(layer, "not_attention", reason);
    return layer;
  }
  read_head(model, layer);
  read_encoding(model, layer);
  if (layer.encoding != "t5") read_softmax_scale(model, layer);
  read_temperature(model, layer);
  return layer;
}

/// A drafter that is built of DeepSeek-V4's blocks, not of its usual ones.
constexpr Architecture deepseek4_drafter{.name = "dflash",
                                         .pairs = Architecture::Pairs::norm,
                                         .windows = Architecture::Windows::always,
                                         .pattern = Architecture::Pattern::unread,
                                         .latent = true};

const Architecture& architecture_of(const GgufKeys& keys, const std::string& name,
                                    std::vector<std::string>& assumed) {
  const Architecture* known = find_gguf_architecture(name);
  if (known && name == "dflash" && keys.find("hyper_connection.count")) return deepseek4_drafter;
  if (known) return *known;
  assume(assumed,
         fmt::format("architecture {} is unknown: RoPE with pairs (t, t + r/2) in every layer is "
                     "assumed, that keys mean what they mean for most architectures, and a causal "
                     "mask unless attention.causal says otherwise",
                     in_quotes(name)));
  return unknown_gguf_architecture();
}

/// Layers that attend: without those that predict further tokens, and as often as they are run.
int layers_of(const GgufKeys& keys, const Architecture& architecture,
              std::vector<std::string>& assumed) {
  const auto blocks = keys.integer("block_count", 1, most_layers);
  if (!blocks.value) keys.refuse("block_count", "given, so the layers cannot be counted");
  std::int64_t layers = *blocks.value;
  std::int64_t further = keys.integer("nextn_predict_layers", 0, most_layers).value.value_or(0);
  const bool there = keys.has_tensor(fmt::format("blk.{}.nextn.eh_proj.weight", layers - further));
  if (architecture.name == "deepseek4" && !there) further = 0;
  if (further > 0 && further < layers) {
    layers -= further;
    assume(assumed, fmt::format("{} of {} layers predict further tokens "
                                "(nextn_predict_layers) and are left out",
                                further, *blocks.value));
  }
  if (architecture.name == "nanbeige") layers *= keys.integer("num_loops", 1, 64).value.value_or(1);
  if (layers > most_layers) keys.refuse("num_loops", "small enough");
  return static_cast<int>(layers);
}

}  // namespace

std::string code_reason(const GgufModel& model) {
  if (model.architecture.name.empty()) return "assumed of an unknown architecture";
  return fmt::format("code of {} in llama.cpp", model.architecture.name);
}

namespace {

/// As its encoder, but for one-sided buckets and a causal mask.
void add_decoder_of_t5(const GgufKeys& keys, PositionPlan& plan) {
  const auto count = keys.integer("decoder_block_count", 1, most_layers);
  plan.other.assign(
      static_cast<std::size_t>(count.value.value_or(static_cast<std::int64_t>(plan.layers.size()))),
      plan.layers.front());
  for (std::size_t i = 0; i < plan.other.size(); ++i) {
    LayerPlan& layer = plan.other[i];
    layer.layer = static_cast<int>(i);
    layer.causal = true;
    put_param(layer, "t5.bidirectional", false, "layers of the decoder");
  }
}

}  // namespace

PositionPlan read_gguf(std::string_view bytes, const std::string& file,
                       const ReadOptions& options) {
  const GgufFile gguf = parse_gguf(bytes, file);
  PositionPlan plan{.source = file, .format = fmt::format("GGUF v{}", gguf.version)};
  const auto name = gguf.values.find("general.architecture");
  const auto* text = name == gguf.values.end() ? nullptr : std::get_if<std::string>(&name->second);
  if (!text || text->empty())
    throw DataError(file, "names no architecture (general.architecture)", "give a GGUF of a model");
  plan.model_type = *text;
  const GgufKeys keys(gguf, *text, file);
  const Architecture& architecture = architecture_of(keys, *text, plan.assumed);
  const GgufModel model{keys, architecture, options, layers_of(keys, architecture, plan.assumed),
                        plan.assumed};
  for (int i = 0; i < model.layers; ++i) plan.layers.push_back(read_layer(model, i));
  if (model.architecture.name == "t5") add_decoder_of_t5(keys, plan);
  if (const auto longest = keys.integer("context_length", 1, most_tokens); longest.value)
    plan.longest = *longest.value;
  if (const std::vector<std::string> unread = keys.unread(); !unread.empty())
    assume(plan.assumed, fmt::format("keys of rope and attention that change nothing here: {}",
                                     printable(fmt::format("{}", fmt::join(unread, ", ")))));
  return plan;
}

}  // namespace orrery
