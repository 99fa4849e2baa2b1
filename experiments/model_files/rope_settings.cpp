#include "experiments/model_files/config_plan.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/encodings/rope_scaling.h"
#include "core/errors.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/rotation.h"

namespace orrery {
namespace {

using NopeRule = ModelType::NopeRule;
using RopeKeys = ModelType::RopeKeys;
using TemperatureRule = ModelType::TemperatureRule;

/// The entry of a list per layer. None where the key has no list.
Valued<double> entry_of(const ConfigValues& config, const char* key, int layer) {
  const Json* list = config.find(key);
  if (!list || !list->is_array()) return {};
  const auto at = static_cast<std::size_t>(layer);
  const std::optional<double> number =
      at < list->size() ? finite_number((*list)[at]) : std::nullopt;
  if (!number) config.refuse(key, "a list of numbers, one per layer");
  return {number, fmt::format("{}[{}]", config.reason(key), layer)};
}

/// A factor by which a pair stands still at every position there is, the largest that is read.
constexpr double stills = 1e300;

/// "code of gemma in Transformers", of types that are not in the table, too.
std::string code_of_type(const ConfigValues& config) {
  return config.type() ? config.code()
                       : fmt::format("code of {} in Transformers", config.text("model_type"));
}

/// A key beside the dictionary that the class does not read, as a part of a reason.
std::string and_not_read(const ConfigValues& config, const char* key) {
  return config.find_in_file(key)
             ? fmt::format("; {} is not read by the {}", config.key_name(key), code_of_type(config))
             : "";
}

Valued<double> base_of(const ConfigValues& config, const RopeDictionary& dictionary, int layer) {
  const bool of_layers = !config.type() || config.type()->nope == NopeRule::layer_rope_theta;
  for (const char* key : {"layer_rope_theta", "rope_theta"})
    if (of_layers || key != std::string_view("layer_rope_theta"))
      if (Valued<double> own = entry_of(config, key, layer); own.value) return own;
  if (Valued<double> own = dictionary.number("rope_theta", config); own.value) return own;
  const RopeKeys keys = type_of(config).keys;
  if (keys != RopeKeys::gptj) {
    const char* key = keys == RopeKeys::neox ? "rotary_emb_base" : "rope_theta";
    if (Valued<double> outer = config.number(key); outer.value) return outer;
    if (!config.type())
      if (Valued<double> outer = config.number("rotary_emb_base"); outer.value) return outer;
    if (keys != RopeKeys::neox) return {usual_base, "default of Transformers: no key has a base"};
  }
  return {usual_base, "default of Transformers" + and_not_read(config, "rope_theta")};
}

/// Muse Spark's list of bases, as a part of a reason.
std::string zeros_alone(const ConfigValues& config) {
  const char* key = "layer_rope_theta";
  if (type_of(config).nope != NopeRule::zero_layer_rope_theta || !config.find_in_file(key))
    return "";
  return fmt::format("; {} is read for its zeros alone", config.key_name(key));
}

/// Whether the code of a type that is not in the table reads partial_rotary_factor; a scaling does
/// in any code.
std::optional<bool> unlisted_reads_part(const ConfigValues& config, const std::string& kind) {
  return kind == "none" ? unlisted_type_reads_part(config.text("model_type")) : true;
}

/// Whether the class turns a part of the head that a key names.
bool reads_part(const ConfigValues& config, const std::string& kind) {
  const ModelType& type = type_of(config);
  if (!config.type()) return unlisted_reads_part(config, kind).value_or(true);
  return kind == "proportional" || type.keys == RopeKeys::neox ||
         type.keys == RopeKeys::rotary_dim || type.keys == RopeKeys::compressed ||
         type.unscaled_part > 0 || config.has_default("partial_rotary_factor");
}

Valued<double> whole_head(const ConfigValues& config) {
  const std::string unread = and_not_read(config, "partial_rotary_factor");
  return {1.0, "all of the head" + (unread.empty() ? ": no key has a part" : unread)};
}

/// A scaling of full_attention, whose frequencies come first, puts the part beside the dictionaries
/// into all of them.
bool full_is_scaled(const ConfigValues& config) {
  std::vector<std::string> said_for_its_layers;
  const RopeDictionary full = rope_dictionary(config, "full_attention");
  return scaling_kind(config, full, said_for_its_layers) != "none";
}

/// None in layers that a list of the scaled ones leaves out.
std::string scaling_of_layer(const ConfigValues& config, const RopeDictionary& dictionary,
                             const LayerPlan& layer, std::vector<std::string>& assumed) {
  const Json* scaled = config.list("rope_scaling_layers");
  if (scaled && std::find(scaled->begin(), scaled->end(), Json(layer.layer)) == scaled->end())
    return "none";
  return scaling_kind(config, dictionary, assumed);
}

/// The share of the head that turns, for types that say it so.
Valued<double> fraction_of(const ConfigValues& config, const RopeDictionary& dictionary,
                           const std::string& kind, const LayerPlan& layer) {
  constexpr const char* part = "partial_rotary_factor";
  Valued<double> own = dictionary.number(part, config);
  if (!reads_part(config, kind)) {
    if (own.value)
      return {1.0, fmt::format("{} is not read by the {}", own.reason, code_of_type(config))};
    return whole_head(config);
  }
  if (Valued<double> one = entry_of(config, "partial_rotary_factors", layer.layer); one.value)
    return one;
  if (own.value) return own;
  const ModelType& type = type_of(config);
  const bool filled = config.has(part) && layer.type != "full_attention" && full_is_scaled(config);
  if (type.unscaled_part > 0 && kind == "none" && !filled)
    return {type.unscaled_part,
            fmt::format("default of {} without a scaling", type.name) + and_not_read(config, part)};
  const bool neox = type.keys == RopeKeys::neox;
  for (const char* key : {part, "rotary_pct"})
    if (!neox || key != part)
      if (Valued<double> outer = config.number(key); outer.value) return outer;
  return whole_head(config);
}

/// A number of channels in place of a part: in some types where no part is given.
Valued<std::int64_t> rotary_dim_of(const ConfigValues& config, const RopeDictionary& dictionary,
                                   const LayerPlan& layer) {
  const RopeKeys keys = type_of(config).keys;
  const bool first = keys == RopeKeys::gptj || !config.type();
  const bool last = keys == RopeKeys::rotary_dim && !config.has("partial_rotary_factor") &&
                    !dictionary.find("partial_rotary_factor");
  if (!first && !last) return {};
  return config.integer("rotary_dim", 2, layer.rope.d_head);
}

/// An odd part turns one channel more, and its exponents keep the odd number: 2t/51 for 52
/// channels, which are the exponents of 52 with the base to the power 52/51.
void round_up(LayerPlan& layer) {
  const Index odd = layer.rope.rotary_dims;
  if (odd % 2 == 0 || odd >= layer.rope.d_head) return;
  layer.rope.rotary_dims = odd + 1;
  layer.rope.base =
      std::pow(layer.rope.base, static_cast<double>(odd + 1) / static_cast<double>(odd));
  layer.reasons["base"] += fmt::format(", to the power {}/{}: {} channels are rounded up to {}",
                                       odd + 1, odd, odd, odd + 1);
}

/// Latent attention: q and k are [nope | rope].
void read_latent_slice(const ConfigValues& config, LayerPlan& layer) {
  const Valued<std::int64_t> rope = config.integer("qk_rope_head_dim", 2, layer.rope.d_head);
  if (!rope.value) config.refuse("qk_rope_head_dim", "given, and the type needs it");
  layer.rope.rotary_dims = *rope.value;
  layer.rope.begin = layer.rope.d_head - layer.rope.rotary_dims;
  layer.reasons["rotary_dims"] = rope.reason + ", the last channels";
}

/// p-RoPE within the slice of latent attention: of its pairs the fastest turn, and the others stand
/// still, whose frequency is divided by the largest factor there is.
void read_still_pairs(const ConfigValues& config, const RopeDictionary& dictionary,
                      LayerPlan& layer) {
  constexpr const char* key = "partial_rotary_factor";
  Valued<double> part = dictionary.number(key, config);
  if (!part.value) part = config.number(key);
  const double share = part.value.value_or(1.0);
  if (share < 0 || share > 1) config.refuse(key, "from 0 to 1");
  const double factor = dictionary.number("factor", config).value.value_or(1.0);
  const auto pairs = static_cast<std::size_t>(layer.rope.rotary_dims / 2);
  const auto turning = static_cast<std::size_t>(share * static_cast<double>(pairs));
  if (turning == pairs && factor == 1) return;
  std::vector<double> factors(pairs, stills);
  std::fill_n(factors.begin(), turning, factor);
  put_factors(layer, std::move(factors),
              fmt::format("rope_type proportional: {} of the {} pairs that turn in others{}",
                          turning, pairs, part.value ? ", by " + part.reason : ""));
}

/// Frequencies that are as good as 0 are said to be 0.
void still_pairs(LayerPlan& layer) {
  for (double& theta : layer.inv_freq)
    if (theta < usual_base / stills) theta = 0;
}

void read_slice(const ConfigValues& config, const RopeDictionary& dictionary,
                const std::string& kind, LayerPlan& layer) {
  if (is_latent(config)) return read_latent_slice(config, layer);
  const Valued<std::int64_t> rotary = rotary_dim_of(config, dictionary, layer);
  if (rotary.value) {
    layer.rope.rotary_dims = *rotary.value;
    layer.reasons["rotary_dims"] = rotary.reason;
    return;
  }
  const Valued<double> part = fraction_of(config, dictionary, kind, layer);
  if (*part.value <= 0 || *part.value > 1)
    config.refuse("partial_rotary_factor", "above 0 and at most 1");
  const Valued<std::int64_t> head = type_of(config).frequencies_by_head_dim
                                        ? config.integer("head_dim", 2, most_channels)
                                        : Valued<std::int64_t>{};
  const auto width = static_cast<double>(head.value.value_or(layer.rope.d_head));
  const double channels = *part.value * width;
  layer.rope.rotary_dims = kind == "proportional" ? 2 * static_cast<int>(std::floor(channels / 2))
                                                  : static_cast<int>(channels);
  layer.reasons["rotary_dims"] =
      part.reason + (head.value ? fmt::format(", of {} of {}", *head.value, head.reason) : "");
  // Its base grows by a power of the odd number, which no factor of the even one gives.
  if (kind == "dynamic_ntk" && layer.rope.rotary_dims > 2 && layer.rope.rotary_dims % 2 != 0)
    config.refuse(
        "partial_rotary_factor",
        fmt::format("one by which an even number of channels turns: the dynamic scaling of "
                    "{} is not read",
                    layer.rope.rotary_dims));
  if (!config.type() && !unlisted_reads_part(config, kind) && *part.value < 1)
    layer.base_of_whole = layer.rope.base;
  if (kind != "proportional") round_up(layer);
  if (type_of(config).keys == RopeKeys::compressed) {
    layer.rope.begin = layer.rope.d_head - layer.rope.rotary_dims;
    layer.reasons["rotary_dims"] += ", the last channels";
  }
}

void read_pairing(const ConfigValues& config, LayerPlan& layer, std::vector<std::string>& assumed) {
  const ModelType& type = type_of(config);
  const Json* key = is_latent(config) ? config.find("rope_interleave") : nullptr;
  const std::string word = config.type() ? "" : config.text("position_embedding_type");
  const bool said = (!config.type() && key && *key == true) || word == "rope_gptj";
  const bool interleaved = key && *key == false ? false : type.interleaved || said;
  layer.rope.pairing = interleaved ? RopePairing::interleaved : RopePairing::half_split;
  layer.rope.clockwise = type.clockwise;
  layer.either_order = interleaved && is_latent(config);
  if (key)
    layer.reasons["pairing"] = config.reason("rope_interleave");
  else if (config.type())
    layer.reasons["pairing"] = config.code();
  else if (word.starts_with("rope_gpt"))
    layer.reasons["pairing"] = config.reason("position_embedding_type");
  else {
    layer.reasons["pairing"] = "assumed";
    layer.pairing_assumed = true;
    assume(assumed,
           "pairs are (t, t + r/2), as most models of Transformers have them: the type is unknown");
  }
}

void read_sections(const ConfigValues& config, const RopeDictionary& dictionary, LayerPlan& layer) {
  const char* key = dictionary.find("mrope_section") ? "mrope_section" : "xdrope_section";
  const Json* sections = dictionary.find(key);
  if (!sections) return;
  if (!sections->is_array() || sections->size() > 8)
    config.refuse("mrope_section", "a list of pairs per axis");
  for (const Json& item : *sections) {
    const std::optional<double> count = finite_number(item);
    if (!count || *count < 0 || *count > static_cast<double>(layer.rope.d_head))
      config.refuse("mrope_section", "a list of pairs per axis");
    layer.rope.sections.push_back(static_cast<Index>(*count));
  }
  const Json* in_turns = dictionary.find("mrope_interleaved");
  if (in_turns ? *in_turns == true : type_of(config).sections == ModelType::Sections::in_turns)
    layer.rope.design = AxisDesign::interleaved;
  layer.reasons["sections"] = dictionary.reasons.find(key)->second;
}

void read_query_temperature(const ConfigValues& config, const RopeDictionary& dictionary,
                            LayerPlan& layer) {
  if (type_of(config).temperature != TemperatureRule::beta) return;
  const Valued<double> beta = dictionary.number("llama_4_scaling_beta", config);
  const std::optional<ParamValue> length = find_param(layer, "rope.original_length");
  if (!beta.value || !length) return;
  put_temperature(
      layer,
      {floor_of_length,
       {{"β", *beta.value}, {"L₀", static_cast<double>(std::get<std::int64_t>(*length))}}},
      beta.reason);
}

/// DeepSeek multiplies the softmax scale by g(s, mscale_all_dim)² beside what cos and sin get.
void scale_softmax(const ConfigValues& config, const std::string& kind, LayerPlan& layer) {
  if (!is_latent(config) || kind == "none") return;
  const RopeScaling& scaling = layer.rope.scaling;
  if (scaling.kind != RopeScalingKind::yarn || scaling.mscale_all_dim == 0) return;
  const double g = 0.1 * scaling.mscale_all_dim * std::log(scaling.factor) + 1;
  layer.softmax_scale *= g * g;
  layer.reasons["softmax_scale"] += ", times (0.1 mscale_all_dim ln s + 1)²";
}

/// A norm of q and k cancels by what cos and sin were multiplied before it.
void cancel_attention_factor(const ConfigValues& config, const std::string& kind,
                             LayerPlan& layer) {
  const bool has_factor = (kind == "yarn" || kind == "longrope") && layer.attention_factor != 0;
  const Json* norm = config.find("use_qk_norm");
  const bool normed = type_of(config).norm_after_rotation && !(norm && *norm == false);
  if (!has_factor || !normed) return;
  layer.factor_before_norm = attention_factor(layer.rope.scaling);
  put_param(layer, "rope.attention_factor", 1.0,
            config.code() + ": q and k are normed after they turn");
}

void complete(const ConfigValues& config, LayerPlan& layer) {
  try {
    complete_rope(layer);
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: layer {}", config.file(), layer.layer),
                    fmt::format("has RoPE settings that cannot be ({})", error.what()),
                    "check its rope_parameters or rope_scaling");
  }
}

/// A scaling obeys partial_rotary_factor in latent attention, too. Where that leaves one frequency,
/// the code shares it among all pairs; it runs with no other number of them.
void share_lone_frequency(const ConfigValues& config, const RopeDictionary& dictionary,
                          const std::string& kind, LayerPlan& layer) {
  constexpr const char* key = "partial_rotary_factor";
  if (!is_latent(config) || kind == "none" || kind == "proportional" || reads_part(config, "none"))
    return;
  Valued<double> part = dictionary.number(key, config);
  if (!part.value) part = config.number(key);
  if (!part.value || !(*part.value > 0 && *part.value < 1)) return;
  const auto r = static_cast<double>(layer.rope.rotary_dims);
  if (static_cast<int>(*part.value * r) != 2) return;
  LayerPlan lone = layer;
  lone.rope.rotary_dims = 2;
  complete(config, lone);
  std::vector<double> factors;
  for (int t = 0; t < static_cast<int>(r) / 2; ++t)
    factors.push_back(std::pow(layer.rope.base, -2.0 * t / r) / lone.inv_freq.front());
  put_factors(layer, std::move(factors), part.reason + ": one frequency, shared by all pairs");
  if (lone.attention_factor != 0)
    put_param(layer, "rope.attention_factor", lone.attention_factor, "that of its scaling");
}

/// Of DeepSeek-V4 only layers that pick among compressed keys have one.
void read_indexer(const ConfigValues& config, LayerPlan& layer) {
  const ModelType& type = type_of(config);
  const bool compressed = type.keys == RopeKeys::compressed;
  if (type.indexer.empty() || (compressed && layer.type != "compressed_sparse_attention")) return;
  const auto width = config.integer("index_head_dim", layer.rope.rotary_dims, most_channels);
  if (!width.value) return;
  const Index channels = *width.value;
  layer.indexer = LayerPlan::Indexer{
      .pairing = type.indexer == "half_split" ? RopePairing::half_split : RopePairing::interleaved,
      .head_dim = channels,
      .rotary_begin = type.indexer_turns_last ? channels - layer.rope.rotary_dims : 0};
  layer.reasons["indexer"] = config.code();
}

}  // namespace

void put_factors(LayerPlan& layer, std::vector<double> factors, std::string reason) {
  layer.rope.scaling = {.factors = std::move(factors),
                        .attention_factor = layer.rope.scaling.attention_factor};
  put_param(layer, "rope.scaling", std::string("factors"), std::move(reason));
}

void read_rope(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
               std::vector<std::string>& assumed) {
  if (is_latent(config) && config.integer("qk_rope_head_dim", 0, most_channels).value == 0)
    return put_encoding(layer, "none", config.reason("qk_rope_head_dim") + " is 0");
  const RopeDictionary dictionary = rope_dictionary(config, layer.type);
  if (dictionary.is_null) {
    return put_encoding(
        layer, "none",
        fmt::format("{} has null for {}", config.reason("rope_parameters"), layer.type));
  }
  const Valued<double> base = base_of(config, dictionary, layer.layer);
  layer.encoding = "rope";
  layer.rope.base = *base.value;
  layer.reasons["base"] = base.reason + zeros_alone(config);
  if (!(layer.rope.base > 1)) config.refuse("rope_theta", "a base above 1");
  if (config.is_unread("rope_scaling") && config.find_in_file("rope_scaling"))
    assume(assumed, config.not_read("rope_scaling"));
  read_pairing(config, layer, assumed);
  const std::string kind = scaling_of_layer(config, dictionary, layer, assumed);
  read_slice(config, dictionary, kind, layer);
  const bool is_slice = kind == "proportional" && is_latent(config);
  if (is_slice)
    read_still_pairs(config, dictionary, layer);
  else
    read_scaling(config, dictionary, kind, options, layer, assumed);
  cancel_attention_factor(config, kind, layer);
  read_sections(config, dictionary, layer);
  read_query_temperature(config, dictionary, layer);
  scale_softmax(config, kind, layer);
  if (type_of(config).keys == RopeKeys::compressed && layer.type != "sliding_attention")
    assume(assumed,
           "layers that compress see keys beyond sliding_window, too, as averages of several: no "
           "window is shown for them");
  if (type_of(config).keys == RopeKeys::compressed)
    put_param(layer, "rope.rotary_value", std::string("counter_rotated"),
              "code of deepseek_v4 in Transformers");
  share_lone_frequency(config, dictionary, kind, layer);
  read_indexer(config, layer);
  complete(config, layer);
  if (is_slice) still_pairs(layer);
}

}  // namespace orrery
