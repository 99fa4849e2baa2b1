#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/rope_convention.h"
#include "core/encodings/rotation_table.h"
#include "core/encodings/settings.h"

namespace orrery {

/// Whether values are rotated too.
enum class RotaryValue {
  none,             ///< the paper
  rotated,          ///< o_m = Σ A_mn R_n v_n, not undone: rotary_value in Transformers' RoFormer
  counter_rotated,  ///< o_m = R_mᵀ Σ A_mn R_n v_n, a function of n − m: RoPER
};

/// Bands of a frequency mixer: pair t of P lies in band floor(8 t / P), the fastest in band 0. With
/// fewer than 8 pairs some bands are empty.
constexpr std::size_t mixer_bands = 8;
constexpr std::size_t mixer_band_of(std::size_t t, std::size_t pairs) {
  return t * mixer_bands / pairs;
}

/// What a Rope does beside turning q and k by its convention.
struct RopeOptions {
  RotaryValue rotary_value{RotaryValue::none};
  std::array<bool, mixer_bands> muted{};  ///< by band: taken out of the score
  StageRounding rounding{};
};

/// Rotary position embedding: pair t of q_m rotates by the angle m·theta_t, counter-clockwise, and
/// pair t of k_n by n·theta_t, so that their product depends on m − n.
///   f(x_m, m) = R_m W x_m                                             (eq. 14)
///   y_a = x_a cos − x_b sin,  y_b = x_a sin + x_b cos, pair (a, b)    (eq. 34)
///   q_mᵀk_n = x_mᵀW_qᵀ R_{n−m} W_k x_n                                (eq. 16)
///   theta_t = base^(-2t/r),  t = 0 … r/2 − 1
///
/// The forms of (12) and (15) are in rope_realisations.h. Copies of the paper print the last rows
/// of (34) as (−x_{d−1}, x_d); correct is (−x_d, x_{d−1}).
///
/// convention.scaling (rope_scaling.h) changes theta. A token has one position, to which the axes of
/// pairs make no difference. Its attention factor a multiplies rotated q and
/// k, so that their products gain a²; values do not gain it. For muted bands, q and k of their
/// pairs are set to 0 after the rotation, so that the score of eq. (35) is Σ Re h_t
/// e^{i(m−n)theta_t} over the other pairs, and the channels that are not rotated. Values keep all
/// pairs.
///
/// Accuracy: unless options.rounding names a format for angles, cos and sin are those of the exact
/// product position·theta of the fp64 theta, to 20·2^-53 (RotationTable), so that scores depend on
/// m − n at every position to 2^53. theta itself is rounded, and the absolute angle m·theta is off
/// by up to |m|·theta·2^-53: for base 10000 and r = 128 by 8e-10 rad at 2^24, 5e-5 at 2^40 and
/// 0.42 at 2^53. The four products of a pair are rounded at Stage::products, the rotated vectors
/// at Stage::rotated_qk.
/// Cost: 6 N·r flops, and 32·r sincos once.
/// Source: Su et al. 2021 (RoFormer) §3.2, §3.4.2.
template <class T>
class Rope final : public Encoding, public QkTransform<T>, public ValueTerm<T> {
 public:
  /// Throws UsageError: d_head or rotary_dims odd or not positive, channels beyond d_head, base ≤ 1,
  /// every pair muted, or a scaling that scaled_frequencies refuses.
  explicit Rope(RopeConvention convention, const RopeOptions& options = {});

  static EncodingInfo info();
  static std::unique_ptr<Rope> make(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }
  void transform_queries(PositionsIn m, MatrixOut<T> q) const override { turn(m, q); }
  void transform_keys(PositionsIn n, MatrixOut<T> k) const override { turn(n, k); }
  void pull_queries_back(PositionsIn m, const MatrixIn<T>&, MatrixOut<T> d_q,
                         Tables&) const override {
    turn_back(m, d_q);
  }
  void pull_keys_back(PositionsIn n, const MatrixIn<T>&, MatrixOut<T> d_k, Tables&) const override {
    turn_back(n, d_k);
  }

  /// The change of the output by rotary_value; none by default.
  /// Throws UsageError when values turn and have another width than d_head.
  void add_to_output(const ValueInputs<T>& in, MatrixOut<T> out) const override;
  void add_value_gradients(const ValueInputs<T>& in, const MatrixIn<T>& d_out,
                           MatrixOut<T> d_weights, MatrixOut<T> d_v,
                           Tables& d_tables) const override;

  TurningPairs turning_pairs() const override;

  const RopeConvention& convention() const { return convention_; }
  const RopeOptions& options() const { return options_; }
  /// rad per token after scaling, the fastest first, negative when clockwise: [rotary_dims / 2], or
  /// [d_head / 2] when proportional.
  const std::vector<double>& theta() const { return theta_; }
  /// theta() in the format of Stage::inv_freq: the frequencies of the rotations.
  const std::vector<double>& rounded_theta() const { return rounded_theta_; }

  /// a: cos and sin of q and of k are multiplied by it.
  double attention_factor() const { return attention_factor_; }

  bool is_muted(std::size_t t) const { return options_.muted[mixer_band_of(t, theta_.size())]; }
  /// The values of the unmuted pairs, out of one value per pair. [theta().size()] → [unmuted
  /// pairs].
  template <class Value>
  std::vector<Value> unmuted(const std::vector<Value>& of_pairs) const {
    std::vector<Value> kept;
    for (std::size_t t = 0; t < of_pairs.size(); ++t)
      if (!is_muted(t)) kept.push_back(of_pairs[t]);
    return kept;
  }

  ChannelPair channels(std::size_t t) const {
    return channels_of(convention_, static_cast<Index>(t));
  }
  /// Whether a channel is one of a pair.
  bool turns(Index channel) const {
    const Index place = channel - first_channel(convention_);
    return place >= 0 && place < 2 * pairs_of(convention_);
  }

 private:
  void turn(PositionsIn positions, MatrixOut<T> x) const;
  void turn_back(PositionsIn positions, MatrixOut<T> d_x) const;
  void check_shape(PositionsIn positions, const MatrixIn<T>& x) const;
  MatrixOut<T> paired(MatrixOut<T> x) const;
  void rotate(PositionsIn positions, const RotationTable& table, MatrixOut<T> x) const;
  /// The transpose of rotate without its roundings.
  void rotate_back(PositionsIn positions, const RotationTable& table, MatrixOut<T> x) const;
  void set_muted_to_zero(MatrixOut<T> x) const;
  /// R_n v_n, [N_k, d_v].
  Matrix<T> turned_values(const ValueInputs<T>& in) const;
  void rotate_exactly(PositionsIn positions, const RotationTable& table, MatrixOut<T> x) const;
  /// What is rounded is formed once for rows in sequence at the same position.
  void rotate_rounded(PositionsIn positions, double amplitude, MatrixOut<T> x) const;

  RopeConvention convention_;
  RopeOptions options_;
  std::vector<double> theta_;
  std::vector<double> rounded_theta_;
  double attention_factor_;
  RotationTable table_;
  RotationTable value_table_;  ///< without the attention factor
};

/// Rows of W_q or W_k, or of their biases, moved from one pairing to another: a rope of the other one
/// then gives the same scores. All channels of a head are paired. [heads·d_head, columns]
template <class T>
Matrix<T> repaired_rows(const MatrixIn<T>& rows, Index heads, RopePairing from, RopePairing to);

}  // namespace orrery
