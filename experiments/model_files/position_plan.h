#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/encodings/rope_convention.h"
#include "core/params.h"

namespace orrery {

/// A setting of an experiment by its key, "rope.factor".
using PlannedSetting = std::pair<std::string, ParamValue>;

// Rules of LayerPlan::Temperature; the names in them are the keys of its terms.
inline constexpr const char* floor_of_next = "1 + a ln(1 + floor((m + 1)/f))";  ///< Llama 4
inline constexpr const char* floor_of_length = "1 + β ln(1 + floor(m / L₀))";   ///< Ministral 3
inline constexpr const char* power_of_length = "(1 + (m + 1)/c)^p";             ///< Beam
inline constexpr const char* log_of_length =
    "1 + α ln(max(1, (m + 1)/n₀)), of queries and of the bias";  ///< Inkling

/// What one layer of a model does with positions.
struct LayerPlan {
  /// A factor on the logits of a query that depends on its position m.
  struct Temperature {
    std::string rule{};                     ///< "1 + β ln(1 + floor(m / L₀))"
    std::map<std::string, double> terms{};  ///< the values of its symbols
    friend bool operator==(const Temperature&, const Temperature&) = default;
  };
  /// The small attention that picks the keys a layer sees, with q and k of its own: DeepSeek's
  /// indexer. It turns by the layer's frequencies.
  struct Indexer {
    RopePairing pairing{};  ///< which need not be the layer's
    Index head_dim{};
    Index rotary_begin{};  ///< first of the layer's rotary_dims channels
    friend bool operator==(const Indexer&, const Indexer&) = default;
  };

  int layer{};             ///< counted from 0
  std::string type{};      ///< as the model names it: "full_attention"; empty where it has one type
  std::string encoding{};  ///< name of an encoding of the catalogue, or what stands in its place
  /// A second one that the model has beside it: "learned", a table added to the tokens' vectors. Empty: none.
  std::string beside{};
  /// How q and k turn. Its d_head is the channels of a head of every encoding, 0 when the file does
  /// not say; without RoPE the rest means nothing.
  RopeConvention rope{};
  std::vector<PlannedSetting>
      params{};                    ///< of the encoding beyond that, as `orrery run` takes them
  std::vector<double> inv_freq{};  ///< rad per token in the order of pairs, after scaling
  double attention_factor{1.0};    ///< by which cos and sin are multiplied; 0 blanks the slice
  double softmax_scale{};          ///< by which q·k is multiplied; 0 when the file does not say
  /// w: a query at m sees keys at n with |m − n| < w, of causal layers those with n ≤ m. It counts
  /// the query's own key and w − 1 behind it; layers that are not causal see w − 1 ahead, too. The
  /// same w as `window=` of attend. None: all keys.
  std::optional<std::int64_t> window{};
  bool window_in_blocks{};  ///< and only keys with floor(n/w) = floor(m/w)
  std::optional<Temperature> temperature{};
  bool causal{true};
  std::optional<Indexer> indexer{};
  /// Rows of W_q and W_k lie in the order that interleaved pairs need, where Transformers has them
  /// in that of half_split ones: the file's pairing is then the same encoding.
  bool rows_reordered{};
  /// Latent attention turns neighbouring channels. Some programs write a turned pair where it was,
  /// others as halves: q and k alike, so that logits are the same.
  bool either_order{};
  /// What turns is the hidden state that W_q and W_k are applied to, head by head.
  bool turns_hidden_states{};
  /// Neither a key nor a known type says which channels pair: the other pairing is as right.
  bool pairing_assumed{};
  /// The base where all of the head turns, which is as right: a key has a part of it, and whether
  /// the type's code reads that is not known. Empty: the part turns.
  std::optional<double> base_of_whole{};
  /// By which cos and sin are multiplied where a norm of q and k cancels it after the rotation:
  /// attention_factor is 1 then. Empty: attention_factor.
  std::optional<double> factor_before_norm{};
  std::map<std::string, std::string> reasons{};  ///< by field: the key of a file, or which default
};

/// A model's layers as its files describe them.
struct PositionPlan {
  std::string source{};      ///< the file
  std::string format{};      ///< "config.json", "params.json", "GGUF v3"
  std::string model_type{};  ///< "llama"; in a GGUF its architecture
  std::vector<LayerPlan> layers{};
  std::vector<LayerPlan> other{};  ///< of an encoder-decoder's stack that is not in layers
  /// Tokens of the longest sequences that the file names, or its class by default; 0 for none.
  std::int64_t longest{};
  std::vector<std::string> assumed{};  ///< what no file says, one sentence each
  std::set<std::string> keys_read{};   ///< of a config.json
};

/// What is read beside the files.
struct ReadOptions {
  /// Length of the sequence, by which LongRoPE and dynamic scaling choose; 0: the length of
  /// training, for which both have their first frequencies.
  std::int64_t length{0};
};

/// The numbers of layers of one type that compute the same, in the order of the first of each.
std::vector<std::vector<int>> alike_layers(const std::vector<LayerPlan>& layers);

/// "decoder" or "encoder": what PositionPlan::other is.
inline const char* other_stack(const PositionPlan& plan) {
  return !plan.layers.empty() && plan.layers.front().causal ? "encoder" : "decoder";
}

/// Whether a layer's frequencies depend on how long the sequence is.
bool chooses_by_length(const LayerPlan& layer);

/// Whether two layers compute the same: all but number, name of the type and reasons.
bool computes_same(const LayerPlan& a, const LayerPlan& b);

/// The settings of the encoding that the files give, as `orrery run` takes them: of RoPE those of
/// its scaling and slice, without base and pairing.
std::vector<PlannedSetting> settings_of(const LayerPlan& layer);
/// The one of that key. Empty when the files give none.
std::optional<ParamValue> find_param(const LayerPlan& layer, const std::string& key);
/// The same, or its usual value where the files give none of type V.
template <class V>
V param_or(const LayerPlan& layer, const std::string& key, V usual) {
  const std::optional<ParamValue> found = find_param(layer, key);
  const V* const value = found ? std::get_if<V>(&*found) : nullptr;
  return value ? *value : usual;
}

/// Adds a sentence unless it is there already.
void assume(std::vector<std::string>& assumed, std::string sentence);

/// Sets or replaces a parameter of the layer, in its convention where that has one of the key, with
/// the reason for it.
void put_param(LayerPlan& layer, const std::string& key, ParamValue value, std::string reason);

// The same of a field of the layer.
void put_encoding(LayerPlan& layer, std::string_view encoding, std::string reason);
void put_softmax_scale(LayerPlan& layer, double scale, std::string reason);
void put_temperature(LayerPlan& layer, LayerPlan::Temperature temperature, std::string reason);

/// How far back the last token of a context sees through the layers of a model, from the last layer
/// down. Distances in tokens.
struct ReceptiveField {
  std::vector<double> reach;      ///< [layers + 1] the largest distance at all
  std::vector<double> half;       ///< [layers + 1] within which half of the influence lies
  std::vector<double> most;       ///< [layers + 1] within which 95 % lies
  std::vector<double> influence;  ///< [context] by distance, through all layers; sums to 1
};

/// The keys that a layer shows a query, as numbers on each side of it; of windows in blocks those
/// that the last query of a block sees. A layer without attention shows the query alone.
struct Reach {
  std::int64_t behind{};
  std::int64_t ahead{};
};
Reach reach_of(const LayerPlan& layer, std::int64_t context);

/// The plan's windows alone, with attention that is equal over the keys a query sees: a layer
/// passes on `residual` of what it got at the query itself and shares the rest among those keys.
/// What attention learns differs; a window bounds it. After l layers the influence p_l of position
/// j on the last token is p_{l+1}(j) = residual·p_l(j) + (1 − residual) Σ_i p_l(i) [j seen from
/// i]/n_i, n_i the keys that i sees. context ≥ 1, residual in [0, 1]. Cost: context·layers. After
/// Luo et al. 2016 (effective receptive field), who do so for convolutions.
ReceptiveField receptive_field(const PositionPlan& plan, std::int64_t context, double residual);

}  // namespace orrery
