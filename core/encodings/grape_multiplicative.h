#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/fox.h"
#include "core/encodings/settings.h"

namespace orrery {

struct GrapeMultiplicativeConfig {
  double base{10000.0};
  bool all_planes{true};  ///< d/2 orthogonal planes; false for the one of the first two rows
  double speed{1.0};      ///< ω of the single plane
  StageRounding rounding{};
};

/// Multiplicative GRAPE: positions rotate q and k in trained planes, where RoPE has neighbouring
/// channels.
///   L = a bᵀ − b aᵀ,  s² = |a|²|b|² − (a·b)²
///   G(m) = exp(m ω L) = I + sin(m ω s)/s L + (1 − cos(m ω s))/s² L²
///   q_m = G(m)ᵀ W_q x_m,  k_n = G(n)ᵀ W_k x_n,  q_mᵀk_n = x_mᵀW_qᵀ G(m − n) W_k x_n
///
/// The vectors a and b span a plane, L is its generator. Rows 2t and 2t + 1 of the table rotate
/// counter-clockwise, from a_t towards b_t, as RoPE's pairs do. With all planes, the rows of the
/// table are made orthonormal (Gram–Schmidt) and plane t has RoPE's frequency base^(-2t/d); for
/// the unit matrix it is RoPE exactly. With one plane, a and b are the first two rows as they are,
/// and everything orthogonal to them stays. All heads share the table, since this door has no
/// heads.
///
/// Accuracy: cos and sin of the exact product position·frequency.
/// Cost: 3·d flops per plane and row.
/// Source: Zhang et al. 2025 (GRAPE) §3, arXiv 2512.07805; model-architectures/GRAPE.
template <class T>
class GrapeMultiplicative final : public Encoding, public QkTransform<T> {
 public:
  /// rows [d_head or 2, d_head]. Rounding is of the positions, frequencies, angles, their cosines
  /// and the table. Throws UsageError: d_head odd, base ≤ 1, rows that span fewer planes.
  GrapeMultiplicative(Matrix<double> rows, const GrapeMultiplicativeConfig& config);

  static EncodingInfo info();
  static std::unique_ptr<GrapeMultiplicative> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }
  /// With equal parts along all vectors of the planes, and along what is orthogonal to them in
  /// proportion to its dimensions: off its diagonal G(r) is skew in these, so that xᵀG(r)x is
  /// tr G(r)/d.
  Matrix<double> mean_directions(Index d) const override;
  void transform_queries(PositionsIn m, MatrixOut<T> q) const override { turn(m, q); }
  void transform_keys(PositionsIn n, MatrixOut<T> k) const override { turn(n, k); }
  void pull_queries_back(PositionsIn m, const MatrixIn<T>& q, MatrixOut<T> d_q,
                         Tables& d_tables) const override {
    turn_back(m, q, d_q, d_tables);
  }
  void pull_keys_back(PositionsIn n, const MatrixIn<T>& k, MatrixOut<T> d_k,
                      Tables& d_tables) const override {
    turn_back(n, k, d_k, d_tables);
  }

  /// Planes of any channels: ω s of each, in the format of Stage::inv_freq.
  TurningPairs turning_pairs() const override { return {.theta = theta_, .rounded_theta = theta_}; }

 private:
  void check_shape(PositionsIn positions, const MatrixIn<T>& x) const;
  void turn(PositionsIn positions, MatrixOut<T> x) const;
  void turn_back(PositionsIn positions, const MatrixIn<T>& x, MatrixOut<T> d_x,
                 Tables& d_tables) const;

  Matrix<double> basis_;  ///< [2·planes, d_head], orthonormal
  std::vector<double> theta_;
  StageRounding rounding_;
  bool all_planes_;
  Matrix<double> given_{};        ///< the rows before they were made orthonormal
  std::vector<double> across_{};  ///< length of each, across those before it
};

}  // namespace orrery
