#pragma once

#include <memory>
#include <vector>

#include "core/attention/logit_factors.h"
#include "core/encoding.h"
#include "core/encodings/fox.h"
#include "core/encodings/settings.h"

namespace orrery {

/// PoPE, polar position embedding: each channel is a complex number with its length from content
/// and its angle from position, so that the two do not mix.
///   logits_mn = Σ_c softplus(q_c) softplus(k_c) cos((m − n)theta_c − delta_c)/√d
///   theta_c = base^(-c/d),  c = 0 … d − 1
///
/// delta_c are trained phases in [−2π, 0], one per head and channel, which are added to the key's
/// angle: 0 unless a table gives them, as the paper starts its best runs.
///
/// Terms, by softplus(x) = ln 2 + s(x) multiplied out as eq. (6) is: content, s(q) s(k);
/// content_to_position, s(q) ln 2; position_to_content, ln 2 s(k); position_to_position, ln²2 Σ
/// cos. They are zero where a query or a key that they read has no content.
/// Accuracy: cos and sin of the exact product position·theta.
/// Cost: 2·d flops per pair for each of the four terms.
/// Source: Gopalakrishnan et al. 2025 (PoPE) §3; x-transformers, PolarEmbedding.
template <class T>
class Pope final : public Encoding, public ScoreTerms<T> {
 public:
  /// phases [heads, d_head], clamped to [−2π, 0]. Rounding is of the positions, frequencies,
  /// angles, their cosines and the phases. Throws UsageError for an empty table or a base ≤ 1.
  Pope(double base, Matrix<double> phases, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Pope> make(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }
  /// (1, …, 1)/√d: a content scales each cosine by its own channel's length alone, so that the
  /// channels of all directions together scale all cosines alike.
  Matrix<double> mean_directions(Index d) const override;
  std::optional<LogitFactors<T>> logit_factors(const ScoreInputs<T>& in,
                                               const Distances& distances) const override;
  /// Throws UsageError when in.head is not one of the heads, or for another width than d_head.
  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override;
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override;

  /// |s(x)| + ln 2 for real and imaginary parts, [N, 2d].
  Matrix<T> product_sizes(const MatrixIn<T>& x) const override;

 private:
  void check_inputs(const ScoreInputs<T>& in) const;
  /// ln²2 Σ_c cos((m − n)theta_c − delta_c), for one distance and for every pair: the same number
  /// at the same distance.
  double of_distance(Position distance, const double* phase) const;
  Matrix<T> of_distances(const ScoreInputs<T>& in, const double* phase, double scale) const;
  /// Lengths [N, d] as complex numbers at their positions, [N, 2d]: real parts, imaginary parts.
  Matrix<T> polar(const Matrix<T>& lengths, PositionsIn positions, const double* phase) const;

  /// Adds ∂loss by x, given that by its polar form, d_polar as polar(softplus(x), …); and by the
  /// phases, where the key has any.
  void add_polar_gradients(const MatrixIn<T>& x, PositionsIn positions, const double* phase,
                           const Matrix<T>& d_polar, MatrixOut<T> d_x, double* d_phase) const;

  std::vector<double> theta_;
  Matrix<double> phases_;
  /// 1 for phases that were not clamped, 0 for the others: those at the edge train, such as the
  /// zeros that all start from.
  Matrix<double> free_;
  StageRounding rounding_;
};

}  // namespace orrery
