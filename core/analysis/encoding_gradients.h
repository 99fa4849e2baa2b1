#pragma once

#include "core/encoding.h"

namespace orrery {

/// Where the derivative of an encoding is taken: of the products of given numbers with all that it
/// makes of one head,
///   loss = ⟨d_input, x + p⟩ + ⟨d_logits, logits⟩ + ⟨d_output, output⟩.
/// Its point is Tables: x [N_k, d_model], q [N_q, d], k, v [N_k, d], weights [N_q, N_k], and the
/// encoding's tables by their names.
struct GradientScene {
  Positions m, n;
  int head{0};
  Matrix<double> d_input, d_logits, d_output;  ///< [N_k, d_model], [N_q, N_k], [N_q, d]
  Scoring scoring{};
  SegmentsIn segments{};
};

/// The contents of a point in the precision of an encoding.
template <class T>
struct GradientContents {
  explicit GradientContents(const Tables& point);

  ScoreInputs<T> scored(const GradientScene& scene) const;

  Matrix<T> x, q, k, v, weights;
};

/// The loss at a point. The encoding is made of the point's tables. T is float or double.
template <class T>
double loss_of(const Encoding& encoding, const GradientScene& scene, const Tables& point);

/// ∂loss by the point, under its names, by the derivative that each door has. A table that nothing
/// reads has no entry.
template <class T>
Tables gradients_of(const Encoding& encoding, const GradientScene& scene, const Tables& point);

}  // namespace orrery
