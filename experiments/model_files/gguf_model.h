#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/model_files/gguf_keys.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// What llama.cpp does for an architecture, where no key of a GGUF says it: its graph, its table of
/// RoPE types, and which keys it reads.
struct GgufArchitecture {
  enum class Pairs { none, norm, neox };  ///< norm: (2t, 2t+1); neox: (t, t + r/2)
  enum class Sections {
    ignored,
    chunked,           ///< axes follow each other, pairs are neox's
    chunked_if_given,  ///< the same with two sections above 0, else the row's pairs and one axis
    in_turns
  };
  enum class Windows {
    never,         ///< attention.sliding_window is not read, or has no effect
    if_given,      ///< where attention.sliding_window is above 0
    always,        ///< `window` where the key is absent
    unless_zero,   ///< always `window`, but for a key that is 0
    of_64_layers,  ///< in models of 64 layers alone
  };
  enum class Shape { behind, both_sides, blocks };
  enum class Pattern {
    optional,  ///< attention.sliding_window_pattern, a list or a period
    required,  ///< a list; `period` is a guess for files that llama.cpp would refuse
    unread     ///< every attention layer slides
  };
  enum class Nope {
    never,
    every_fourth,               ///< layers 3, 7, …
    every_fourth_with_windows,  ///< the same, where layers slide
    first_of_four,              ///< layers 0, 4, …, where layers slide
    full,                       ///< layers without a window
    full_with_windows,          ///< the same, where others slide
    full_after_dense,           ///< the same, from leading_dense_block_count on
    listed,                     ///< where attention.rope_pattern has 0
    switched                    ///< all, if rope.scaling.finetuned is false
  };
  enum class SlidingBase {
    same,         ///< rope.freq_base
    given,        ///< rope.freq_base_swa, else rope.freq_base
    given_or_10k  ///< rope.freq_base_swa, else 10000
  };
  enum class SlidingScale {
    same,    ///< as in the other layers
    stored,  ///< the factor, even with rope.scaling.type none
    one,     ///< no factor; rope.scaling.attn_factor still acts
    plain    ///< neither
  };
  enum class Factors {
    unread,
    freqs,    ///< rope_freqs.weight
    by_type,  ///< rope_factors_long and _short with type longrope, else rope_freqs
    long_or_short
  };
  enum class Scale {
    head,       ///< head width to the power −1/2
    key,        ///< attention.scale, where it is not 0
    one,        ///< 1
    inverse,    ///< head width to the power −1
    rotated,    ///< rotated channels to the power −1/2
    gemma,      ///< with `wide_layers` layers (embedding/heads) to the power −1/2
    absorbed,   ///< head, times the square of YaRN's attention factors
    output_key  ///< attention.output_scale, under a cap
  };
  enum class LogMultiplier { unread, as_given, over_tenth };
  enum class Temperature { none, llama4, of_training, by_keys };
  enum class Recurrent {
    never,
    without_kv_heads,      ///< layers whose attention.head_count_kv is 0
    or_with_feed_forward,  ///< these, and those whose feed_forward_length is not 0
    between_full           ///< all but every n-th, or those of attention.recurrent_layers
  };
  enum class Rows { as_trained, reordered, reordered_with_sections };

  std::string_view name{};
  Pairs pairs{Pairs::none};
  std::string_view encoding{"rope"};  ///< in the place of RoPE: "alibi", "t5", "learned", "none"
  Sections sections{Sections::ignored};
  Windows windows{Windows::never};
  int window{};       ///< tokens, where no key says them
  int period{};       ///< every n-th layer is full, the others slide; 0: all slide
  bool full_first{};  ///< layers 0, n, 2n, … are full, not n − 1, 2n − 1, …
  bool key_sets_window{true};
  Shape shape{Shape::behind};
  Pattern pattern{Pattern::optional};
  Nope nope{Nope::never};
  SlidingBase sliding_base{SlidingBase::same};
  SlidingScale sliding_scale{SlidingScale::same};
  bool sliding_width{};  ///< rope.dimension_count_swa is read
  bool half_on_full{};   ///< full layers turn half of rope.dimension_count
  bool plain{};          ///< base 10000, all channels, no scaling, whatever the keys say
  bool alpha{};          ///< rope.scaling.alpha stretches the base
  Factors factors{Factors::unread};
  bool factors_on_full{};  ///< sliding layers take none
  bool betas{};            ///< rope.scaling.yarn_beta_fast and _slow are read
  double beta_fast{32};
  LogMultiplier log_multiplier{LogMultiplier::unread};
  Scale scale{Scale::head};
  int wide_layers{};
  Temperature temperature{Temperature::none};
  double alibi_bias{};  ///< largest bias; 0: attention.max_alibi_bias, and no ALiBi without it
  Recurrent recurrent{Recurrent::never};
  int interval{};  ///< of full attention among recurrent layers
  Rows rows{
      Rows::as_trained};     ///< the converter puts rows of W_q and W_k in the order of the pairs
  bool latent{};             ///< q and k are [nope | rope]
  bool bidirectional{};      ///< else attention.causal decides
  bool full_stays_causal{};  ///< full layers keep the mask whatever attention.causal says
};

/// Null for an unknown name.
const GgufArchitecture* find_gguf_architecture(std::string_view name);

/// What is assumed of an architecture that is not known: each key means what it means for most.
const GgufArchitecture& unknown_gguf_architecture();

/// A GGUF while its layers are read.
struct GgufModel {
  const GgufKeys& keys;
  const GgufArchitecture& architecture;
  const ReadOptions& options;
  int layers{};  ///< without those that predict further tokens
  std::vector<std::string>& assumed;
};

/// The reason of a fact that no key says: "code of llama in llama.cpp", or that it is assumed.
std::string code_reason(const GgufModel& model);

/// A whole number that is the layer's, where the key has a list, or the model's.
inline Valued<std::int64_t> layer_integer(const GgufModel& model, const std::string& key,
                                          const LayerPlan& layer) {
  return model.keys.integer(key, 0, 1 << 20, static_cast<std::size_t>(layer.layer));
}

/// Sets type, window and their reasons.
void read_gguf_window(const GgufModel& model, LayerPlan& layer);

/// Whether the layer has no attention: a recurrent one, a convolution or a bare network. The
/// reason says why.
bool has_no_attention(const GgufModel& model, const LayerPlan& layer, std::string& reason);

/// Whether the layer's graph has no position encoding though its architecture has RoPE. Needs type.
bool has_no_positions(const GgufModel& model, const LayerPlan& layer, std::string& reason);

/// Sets the scaling of a RoPE layer as llama.cpp computes it: theta·m/f of each pair, f of the
/// tensors, blended with its s-th part where the type is yarn, and cos and sin times
/// rope.scaling.attn_factor. Needs type, base, head_dim and rotary_dims.
void read_gguf_scaling(const GgufModel& model, LayerPlan& layer);

/// Whether a layer of DeepSeek-V4 attends to compressed keys: those alone have yarn, and their own
/// base.
bool is_compressed(const GgufModel& model, int layer);

/// The factor that latent attention puts on the usual softmax scale: the square of the attention
/// factor times the square of the one that rope.scaling.yarn_log_multiplier gives.
double latent_softmax_factor(const GgufModel& model);

}  // namespace orrery
