#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery {

using Index = std::ptrdiff_t;  // as in core/types.h, for layers that do not see Eigen

/// Which channels form a pair. The two differ by a permutation of channels: scores agree only
/// when the rows of W_q and W_k are permuted along.
enum class RopePairing {
  interleaved,  ///< (2t, 2t+1): the paper, GPT-J, Llama as released by Meta
  half_split,   ///< (t, t + r/2): GPT-NeoX, Llama in Hugging Face Transformers
};

/// Which channels of a partial RoPE rotate, and how fast.
enum class RopePartial {
  truncated,  ///< r channels of a slice, paired among themselves, denominators r: GPT-NeoX, GPT-J
  proportional,  ///< p-RoPE: all channels paired, denominators d; pairs from r/2 on have frequency
                 ///< 0
};

/// Which axis turns which pair, pairs in the order of their frequencies.
enum class AxisDesign {
  chunked,      ///< M-RoPE, Qwen2-VL: the sections one after another
  interleaved,  ///< M-RoPE, Qwen3-VL: axis a ≥ 1 has pairs a, a + A, … below A·section_a; axis 0
                ///< the rest, A the axes
  time_last,    ///< VideoRoPE: axes 1, 2, … in turn on the fast pairs, time on the slow ones
  time_still,  ///< HoPE: as VideoRoPE, and time has frequency 0
  axial,       ///< ViTs: sections one after another, and each has frequencies of its own
};

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
  friend bool operator==(const RopeScaling&, const RopeScaling&) = default;
};

/// The convention of a rope: all in which right implementations of RoPE differ. What encodings
/// compute, models' files say, settings choose and the search finds is in these terms.
struct RopeConvention {
  Index d_head{};
  Index begin{0};        ///< first channel of the slice that turns; p-RoPE has no slice
  Index rotary_dims{0};  ///< r, channels that turn; 0: all of d_head
  RopePartial partial{RopePartial::truncated};
  RopePairing pairing{RopePairing::interleaved};
  bool clockwise{false};  ///< turned by −m·theta
  double base{10000.0};
  RopeScaling scaling{};  ///< of each section on its own where the design is axial
  AxisDesign design{AxisDesign::chunked};
  std::vector<Index> sections{};  ///< pairs of each axis; empty: one axis
  friend bool operator==(const RopeConvention&, const RopeConvention&) = default;
};

/// "interleaved" or "half_split".
std::string_view name(RopePairing pairing);

/// Throws UsageError for a d_head that is odd or not positive.
void check_head_of_pairs(Index d_head);
/// The convention with rotary_dims in place of 0. Throws UsageError: r odd or not positive, all of
/// an odd d_head paired, or channels beyond d_head.
RopeConvention completed(RopeConvention convention);

/// Pairs that are formed, be their frequency 0: r/2, or d_head/2 of p-RoPE.
inline Index pairs_of(const RopeConvention& c) {
  return (c.partial == RopePartial::proportional ? c.d_head : c.rotary_dims) / 2;
}

/// First of the channels that are paired.
inline Index first_channel(const RopeConvention& c) {
  return c.partial == RopePartial::proportional ? 0 : c.begin;
}

struct ChannelPair {
  Index a, b;
};
/// The channels of pair t, as `pairing` has it.
inline ChannelPair channels_of(const RopeConvention& c, Index t, RopePairing pairing) {
  const Index first = first_channel(c);
  if (pairing == RopePairing::interleaved) return {first + 2 * t, first + 2 * t + 1};
  return {first + t, first + t + pairs_of(c)};
}
inline ChannelPair channels_of(const RopeConvention& c, Index t) {
  return channels_of(c, t, c.pairing);
}

}  // namespace orrery
