#include "experiments/plans/gguf_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "experiments/plans/config_values.h"
#include "experiments/plans/gguf_architectures.h"
#include "experiments/plans/gguf_keys.h"
#include "experiments/plans/layer_schedule.h"
#include "experiments/plans/rotation.h"
#include "experiments/plans/temperature.h"
#include "experiments/text/printable.h"

namespace orrery::plans {
namespace {

using Architecture = GgufArchitecture;

constexpr double usual_base = 10000.0;
constexpr std::int64_t most_tokens = std::int64_t{1} << 40;

struct Model {
  const GgufKeys& keys;
  const Architecture& architecture;
  const ReadOptions& options;
  std::vector<std::string>& assumed;
};

std::string of_architecture(const Model& model) {
  return fmt::format("code of {} in llama.cpp", model.architecture.name);
}

bool slides(const Model& model, int layer, std::string& reason) {
  const std::string key = "attention.sliding_window_pattern";
  reason = model.keys.full(key);
  if (const auto* list = model.keys.list(key); list && !list->empty())
    return static_cast<std::size_t>(layer) < list->size() &&
           (*list)[static_cast<std::size_t>(layer)] != 0;
  const auto given = model.keys.integer(key, 1, most_layers);
  if (!given.value) reason = of_architecture(model);
  const auto period = given.value.value_or(model.architecture.period);
  if (period <= 0) return false;
  const bool from_zero = model.architecture.name == "modern-bert";
  return from_zero ? layer % period != 0 : (layer + 1) % period != 0;
}

void read_window(const Model& model, LayerPlan& layer) {
  const auto window = model.keys.integer("attention.sliding_window", 0, most_tokens);
  std::string reason;
  const bool sliding = window.value.value_or(0) > 0 && slides(model, layer.layer, reason);
  const bool every = window.value.value_or(0) > 0 && model.architecture.period == 0 &&
                     !model.keys.find("attention.sliding_window_pattern");
  layer.type = sliding || every ? "sliding_attention" : "full_attention";
  layer.reasons["type"] = reason.empty() ? "no attention.sliding_window" : reason;
  if (layer.type == "full_attention") return;
  layer.window = window.value;
  layer.reasons["window"] = window.reason;
}

void read_head(const Model& model, LayerPlan& layer) {
  const auto at = static_cast<std::size_t>(layer.layer);
  auto head = model.keys.integer("attention.key_length_mla", 1, most_channels);
  if (!head.value && layer.type == "sliding_attention")
    head = model.keys.integer("attention.key_length_swa", 1, most_channels);
  if (!head.value) head = model.keys.integer("attention.key_length", 1, most_channels);
  if (!head.value) {
    const auto width = model.keys.integer("embedding_length", 1, std::int64_t{1} << 24);
    const auto heads = model.keys.integer("attention.head_count", 0, std::int64_t{1} << 20, at);
    if (!width.value || !heads.value || *heads.value == 0) return;
    head = {*width.value / *heads.value, "embedding_length / attention.head_count"};
    if (*head.value < 1 || *head.value > most_channels)
      model.keys.refuse("embedding_length", "1 to 8192 times attention.head_count");
  }
  layer.head_dim = static_cast<int>(*head.value);
  layer.reasons["head_dim"] = head.reason;
  const Valued<double> scale = model.keys.number("attention.scale");
  layer.softmax_scale = scale.value.value_or(1 / std::sqrt(static_cast<double>(layer.head_dim)));
  layer.reasons["softmax_scale"] = scale.value ? scale.reason : "head width to the power −1/2";
}

void read_slice(const Model& model, LayerPlan& layer) {
  auto count = layer.type == "sliding_attention"
                   ? model.keys.integer("rope.dimension_count_swa", 2, layer.head_dim)
                   : Valued<std::int64_t>{};
  if (!count.value) count = model.keys.integer("rope.dimension_count", 2, layer.head_dim);
  if (!count.value) count = {layer.head_dim, "no rope.dimension_count: all of the head"};
  layer.rotary_dims = static_cast<int>(*count.value);
  layer.reasons["rotary_dims"] = count.reason;
  if (!model.architecture.latent || layer.rotary_dims == layer.head_dim) return;
  layer.rotary_begin = layer.head_dim - layer.rotary_dims;
  layer.reasons["rotary_dims"] += ", the last channels";
}

void read_base(const Model& model, LayerPlan& layer) {
  const bool own = model.architecture.own_sliding_rope && layer.type == "sliding_attention";
  Valued<double> base = layer.type == "sliding_attention" ? model.keys.number("rope.freq_base_swa")
                                                          : Valued<double>{};
  if (!base.value && own) base = {usual_base, of_architecture(model)};
  if (!base.value) base = model.keys.number("rope.freq_base");
  if (!base.value) base = {usual_base, "default of llama.cpp: no rope.freq_base"};
  if (!(*base.value > 1)) model.keys.refuse("rope.freq_base", "above 1");
  layer.base = *base.value;
  layer.reasons["base"] = base.reason;
}

std::int64_t original_length(const Model& model, std::string& reason) {
  for (const char* key : {"rope.scaling.original_context_length", "context_length"})
    if (const auto length = model.keys.integer(key, 2, most_tokens); length.value) {
      reason = length.reason;
      return *length.value;
    }
  reason = "assumed";
  assume(model.assumed, "no key says the length of training: 4096 tokens are assumed");
  return 4096;
}

void put_number(const Model& model, LayerPlan& layer, const char* key, const char* param) {
  if (const Valued<double> value = model.keys.number(key); value.value)
    put_param(layer, param, *value.value, value.reason);
}

/// cos and sin get g(s, mscale)/g(s, all_dim) of the log multiplier, or g(s, 1) without one.
void read_log_multiplier(const Model& model, LayerPlan& layer) {
  const Valued<double> stored = model.keys.number("rope.scaling.yarn_log_multiplier");
  if (!stored.value || *stored.value == 0) return;
  const bool deepseek = model.architecture.name == "deepseek2";
  const double all = deepseek ? *stored.value / 0.1 : *stored.value;
  put_param(layer, "rope.mscale", deepseek ? all : 1.0, stored.reason);
  put_param(layer, "rope.mscale_all_dim", all, stored.reason);
  const double factor = std::get<double>(*find_param(layer, "rope.factor"));
  if (!model.architecture.latent) return;
  const double g = 1 + 0.1 * all * std::log(factor);
  layer.softmax_scale *= g * g;
  layer.reasons["softmax_scale"] += ", times (1 + 0.1 yarn_log_multiplier ln s)²";
}

void read_yarn(const Model& model, double factor, const std::string& reason, LayerPlan& layer) {
  put_param(layer, "rope.scaling", std::string("yarn"), model.keys.full("rope.scaling.type"));
  put_param(layer, "rope.factor", factor, reason);
  std::string length_reason;
  const std::int64_t length = original_length(model, length_reason);
  put_param(layer, "rope.original_length", length, length_reason);
  put_number(model, layer, "rope.scaling.yarn_beta_fast", "rope.beta_fast");
  put_number(model, layer, "rope.scaling.yarn_beta_slow", "rope.beta_slow");
  read_log_multiplier(model, layer);
}

void read_longrope(const Model& model, std::vector<double> shorts, std::vector<double> longs,
                   const std::string& reason, LayerPlan& layer) {
  put_param(layer, "rope.scaling", std::string("longrope"), reason);
  put_param(layer, "rope.factor", 1.0, "the factors are in the tensors");
  std::string length_reason;
  const std::int64_t original = original_length(model, length_reason);
  put_param(layer, "rope.original_length", original, length_reason);
  const bool asked = model.options.length > 0;
  put_param(layer, "rope.length", asked ? model.options.length : original,
            asked ? "the length asked for" : "the length of training; --length chooses another");
  put_number(model, layer, "rope.scaling.attn_factor", "rope.attention_factor");
  layer.factors = std::move(shorts);
  layer.long_factors = std::move(longs);
}

void read_scaling(const Model& model, LayerPlan& layer) {
  const bool plain = model.architecture.own_sliding_rope && layer.type == "sliding_attention";
  if (plain) return;
  std::string type = model.keys.text("rope.scaling.type");
  Valued<double> factor = model.keys.number("rope.scaling.factor");
  if (!factor.value) factor = model.keys.number("rope.scale_linear");
  const double s = factor.value.value_or(0) == 0 ? 1.0 : *factor.value;
  if (s < 1) model.keys.refuse("rope.scaling.factor", "0, or at least 1");
  std::string short_reason, long_reason, freqs_reason;
  std::vector<double> shorts =
      model.keys.tensor("rope_factors_short.weight", layer.layer, short_reason);
  std::vector<double> longs =
      model.keys.tensor("rope_factors_long.weight", layer.layer, long_reason);
  std::vector<double> freqs = model.keys.tensor("rope_freqs.weight", layer.layer, freqs_reason);
  if (!shorts.empty() && !longs.empty())
    return read_longrope(model, std::move(shorts), std::move(longs), short_reason, layer);
  if (!freqs.empty()) {
    if (type != "none" && type != "yarn")
      for (double& f : freqs) f *= s;
    if (type == "yarn" && s > 1)
      assume(model.assumed, "rope_freqs beside yarn: the factors alone are shown");
    put_param(layer, "rope.scaling", std::string("factors"), freqs_reason);
    layer.factors = std::move(freqs);
    return;
  }
  if (type == "none" || s == 1) return;
  if (type == "yarn") return read_yarn(model, s, factor.reason, layer);
  put_param(layer, "rope.scaling", std::string("linear"), factor.reason);
  put_param(layer, "rope.factor", s, factor.reason);
}

void read_sections(const Model& model, LayerPlan& layer) {
  const auto* sections = model.keys.list("rope.dimension_sections");
  if (!sections || sections->size() > 8) return;
  for (const double pairs : *sections)
    if (pairs > 0 && pairs <= layer.head_dim) layer.sections.push_back(static_cast<int>(pairs));
  layer.sections_interleaved = model.architecture.sections_interleaved;
  layer.reasons["sections"] = model.keys.full("rope.dimension_sections");
}

void read_rope_keys(const Model& model, LayerPlan& layer) {
  layer.encoding = "rope";
  layer.reasons["encoding"] = fmt::format("architecture {}", model.architecture.name);
  layer.pairing =
      model.architecture.pairs == Architecture::Pairs::norm ? "interleaved" : "half_split";
  layer.rows_reordered = model.architecture.reordered;
  layer.reasons["pairing"] = of_architecture(model);
  if (layer.rows_reordered)
    layer.reasons["pairing"] += ", whose converter reorders rows of W_q and W_k to match";
  read_base(model, layer);
  read_slice(model, layer);
  read_scaling(model, layer);
  read_sections(model, layer);
  try {
    complete_rope(layer);
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: layer {}", model.keys.name(), layer.layer),
                    fmt::format("has RoPE settings that cannot be ({})", error.what()),
                    "convert the model again");
  }
}

void read_other(const Model& model, LayerPlan& layer) {
  layer.encoding = model.architecture.encoding;
  layer.reasons["encoding"] = of_architecture(model);
  if (layer.encoding == "alibi") {
    const auto heads = model.keys.integer("attention.head_count", 1, 1 << 20,
                                          static_cast<std::size_t>(layer.layer));
    if (heads.value) put_param(layer, "heads", *heads.value, heads.reason);
    put_number(model, layer, "attention.max_alibi_bias", "alibi.bias_max");
  }
  if (layer.encoding == "t5") {
    const auto buckets = model.keys.integer("attention.relative_buckets_count", 1, 1 << 20);
    if (buckets.value) put_param(layer, "t5.buckets", *buckets.value, buckets.reason);
    layer.softmax_scale = 1;
    layer.reasons["softmax_scale"] = of_architecture(model);
  }
}

bool has_no_positions(const Model& model, const LayerPlan& layer) {
  if (model.architecture.nope == Architecture::Nope::every_fourth)
    return (layer.layer + 1) % 4 == 0;
  return model.architecture.nope == Architecture::Nope::on_full && layer.type == "full_attention";
}

void read_temperature(const Model& model, LayerPlan& layer) {
  const Valued<double> length = model.keys.number("attention.temperature_length");
  const Valued<double> scale = model.keys.number("attention.temperature_scale");
  if (!length.value || !scale.value || *length.value <= 0) return;
  if (model.architecture.name == "llama4" && layer.encoding != "none") return;
  layer.temperature = Temperature{floor_of_next, {{"a", *scale.value}, {"f", *length.value}}};
  layer.reasons["temperature"] = scale.reason;
}

LayerPlan read_layer(const Model& model, int number) {
  LayerPlan layer{.layer = number};
  read_window(model, layer);
  read_head(model, layer);
  layer.causal = !model.architecture.bidirectional;
  const auto heads =
      model.keys.integer("attention.head_count", 0, 1 << 20, static_cast<std::size_t>(number));
  if (heads.value && *heads.value == 0) {
    layer.encoding = "not_attention";
    layer.reasons["encoding"] = heads.reason + " is 0";
  } else if (model.architecture.pairs == Architecture::Pairs::none) {
    read_other(model, layer);
  } else if (has_no_positions(model, layer)) {
    layer.encoding = "none";
    layer.reasons["encoding"] = of_architecture(model) + ": no key says which layers have RoPE";
  } else {
    if (layer.head_dim == 0)
      model.keys.refuse("attention.key_length", "given, nor is embedding_length");
    read_rope_keys(model, layer);
  }
  read_temperature(model, layer);
  return layer;
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
  const Architecture* known = find_gguf_architecture(*text);
  static constexpr Architecture unknown{.name = "an unknown architecture",
                                        .pairs = Architecture::Pairs::neox};
  if (!known)
    assume(plan.assumed,
           fmt::format("architecture {} is unknown: pairs (t, t + r/2) in every layer are assumed",
                       in_quotes(*text)));
  const GgufKeys keys(gguf, *text, file);
  const Model model{keys, known ? *known : unknown, options, plan.assumed};
  const auto layers = keys.integer("block_count", 1, most_layers);
  if (!layers.value) keys.refuse("block_count", "given, so the layers cannot be counted");
  for (int i = 0; i < static_cast<int>(*layers.value); ++i)
    plan.layers.push_back(read_layer(model, i));
  return plan;
}

}  // namespace orrery::plans
