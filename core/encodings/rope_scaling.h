#pragma once

#include <optional>
#include <vector>

#include "core/precision.h"
#include "core/types.h"

namespace orrery {

/// How RoPE's frequencies are changed so that a model serves contexts longer than those it was
/// trained on. r rotated channels, theta_t = base^(-2t/r), t = 0 … r/2 − 1; s the factor, L0 the
/// length of training, L that of the sequence.
enum class RopeScalingKind {
  none,
  linear,        ///< theta_t / s, which is m/s for m: position interpolation, Chen et al. 2023
  ntk,           ///< base·s^(r/(r−2)): the fastest pair stays, the slowest is divided by s
  dynamic_ntk,   ///< ntk with s·L/L0 − (s − 1) for s, and L0 for a shorter L
  ntk_by_parts,  ///< theta/s up to beta_slow rotations in L0, theta from beta_fast on, linear in
                 ///< the rotations L0·theta/2π between: YaRN's paper (Peng et al. 2023) §3.2
  yarn,          ///< the same, linear in t between: YaRN's code, Transformers, llama.cpp
  llama3,    ///< theta/s for wavelengths above L0/low, theta below L0/high, linear in L0·theta/2π
             ///< between
  longrope,  ///< theta_t / f_t, short factors for L ≤ L0, long ones above: Ding et al. 2024, Phi-3
  factors    ///< theta_t / f_t of one list: rope_freqs of llama.cpp
};

struct RopeScaling {
  RopeScalingKind kind{RopeScalingKind::none};
  double factor{4.0};              ///< s ≥ 1
  double original_length{4096.0};  ///< L0, tokens
  double length{16384.0};          ///< L, tokens: the last position of the sequence + 1
  double beta_fast{32.0};          ///< rotations within L0
  double beta_slow{1.0};
  bool truncate{true};            ///< yarn: the ends of the ramp are whole numbers of pairs
  double mscale{0.0};             ///< yarn: both not 0 count
  double mscale_all_dim{0.0};     ///< yarn
  double low_freq_factor{1.0};    ///< llama3
  double high_freq_factor{4.0};   ///< llama3
  std::vector<double> factors{};  ///< [r/2] of `factors`, and longrope's short ones; empty: all 1
  std::vector<double> long_factors{};        ///< [r/2]; empty: all 1
  std::optional<double> attention_factor{};  ///< in place of the kind's own
};

/// theta of `pairs` pairs, 2·pairs = r, after scaling, rad per token. fp64 is the formula; in
/// another format each step is rounded to fp32 in the order of Transformers
/// (modeling_rope_utils.py), and the result to the format. Throws UsageError: s < 1 or a length, a
/// factor or a number of rotations that is not positive and finite, beta_fast ≤ beta_slow,
/// high_freq_factor ≤ low_freq_factor, or as many factors as there are pairs not given.
std::vector<double> scaled_frequencies(Index pairs, double base, const RopeScaling& scaling,
                                       Precision format);

/// a, by which implementations multiply cos and sin, and so q and k; logits gain a². With
/// g(s, m) = 0.1 m ln s + 1 it is g(s, 1) for yarn, or g(s, mscale)/g(s, mscale_all_dim) where
/// neither is 0; √(1 + ln s / ln L0) for longrope; 1 for the others.
double attention_factor(const RopeScaling& scaling);

}  // namespace orrery
