#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model_files/config_values.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

// How layers of a config.json are read, fact by fact.

/// The most layers that are read.
inline constexpr int most_layers = 2048;
/// The most tokens of a window or a context.
inline constexpr std::int64_t most_tokens = std::int64_t{1} << 40;
/// The most channels of a head.
inline constexpr std::int64_t most_channels = 8192;

/// RoPE's base, where no key says it.
inline constexpr double usual_base = 10000.0;

/// Whether q and k are [nope | rope], by the type, or in an unknown one by its keys.
inline bool is_latent(const ConfigValues& config) {
  return config.type() ? config.type()->latent
                       : config.has("qk_rope_head_dim") && config.has("qk_nope_head_dim");
}

/// Whether a file has the keys of an encoder and a decoder, and the class of the decoder alone.
inline bool has_decoder_alone(const ConfigValues& config) {
  return config.has("decoder_layers") && config.has_causal_class();
}

/// A model's layers with type, window and causal mask, and `encoding` where the type of layer or a
/// rule of the model leaves none: "none" for attention without positions, "not_attention" for
/// layers without any. Throws DataError: no number of layers, lists of another length.
std::vector<LayerPlan> layer_schedule(const ConfigValues& config,
                                      std::vector<std::string>& assumed);

/// Sets the type of a layer of a model that mixes attention with other layers, where the file says
/// it by a key of its own: attn_layer_indices, full_attn_idxs, attn_layer_period and _offset,
/// attn_type_list, hybrid_override_pattern, compress_ratios. False where it has none of them.
bool read_hybrid_type(const ConfigValues& config, LayerPlan& layer);

/// The dictionary of RoPE's settings that a type of layers reads, from rope_parameters,
/// rope_scaling or the keys of older files.
struct RopeDictionary {
  Json values = Json::object();
  std::map<std::string, std::string, std::less<>> reasons{};  ///< by key
  bool is_null{};             ///< the file has null for this type of layers: no position encoding
  bool is_nested{};           ///< one dictionary per type
  bool outer_truncate{true};  ///< `truncate` beside the nested dictionaries

  /// Null where the dictionary has no such key, or null for it.
  const Json* find(std::string_view key) const;
  /// Throws DataError unless the value is a finite number.
  Valued<double> number(std::string_view key, const ConfigValues& config) const;
};

/// Precedence as in Transformers 5.23: rope_scaling, where it is not empty, in place of
/// rope_parameters; a dictionary is nested where a VALUE of it is a dictionary. Throws DataError.
RopeDictionary rope_dictionary(const ConfigValues& config, std::string_view layer_type);

/// The rope_type of a dictionary in the words of rope.scaling and rope.partial: "su" is longrope,
/// "mrope" is none, "proportional" stays.
std::string scaling_kind(const ConfigValues& config, const RopeDictionary& dictionary,
                         std::vector<std::string>& assumed);

/// Parameters of the scaling `kind`. Throws DataError: lists that are no numbers.
void read_scaling(const ConfigValues& config, const RopeDictionary& dictionary,
                  const std::string& kind, const ReadOptions& options, LayerPlan& layer,
                  std::vector<std::string>& assumed);

/// Replaces the layer's scaling by factors, one per pair, by which frequencies are divided.
void put_factors(LayerPlan& layer, std::vector<double> factors, std::string reason);

/// RoPE of a layer as a configuration has it: base, slice, scaling, frequencies and temperature.
/// The layer has its number, type, head_dim and softmax_scale; where the file has null for its type
/// it gets no encoding. Throws DataError: values that no RoPE has.
void read_rope(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
               std::vector<std::string>& assumed);

/// Position encoding of an attention layer of a type that is not one of RoPE's, or of an unknown
/// type without keys of RoPE: ALiBi, T5, DeBERTa, Shaw, learned and absolute ones, and the types
/// whose files choose one, RoPE among them. Throws DataError.
void read_other_encoding(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
                         std::vector<std::string>& assumed);

}  // namespace orrery
