#include "experiments/search/refined_base.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Frequencies and angles without rounding, so that they follow the base smoothly.
WrittenRope smooth(WrittenRope rope) {
  for (const Stage stage : {Stage::inv_freq, Stage::angle, Stage::cos_sin})
    rope.rounding.set(stage, Precision::fp64);
  return rope;
}

/// The base near that of the rope at which most numbers of a few rows fit. Far from position 0 the
/// turns of fast pairs are lost by a change of the base that is small.
WrittenRope nearest_to(const WrittenRope& rope, const RotationSample& sample) {
  constexpr double step = 5e-4;
  constexpr int steps = 40;
  WrittenRope best = rope;
  double least = residual_of(rope, sample).capped_sum;
  for (int k = -steps; k <= steps; ++k) {
    WrittenRope moved = rope;
    moved.base *= std::exp(step * k);
    if (!(moved.base > 1.01)) continue;
    const double misfit = residual_of(moved, sample).capped_sum;
    if (!(misfit < least)) continue;
    least = misfit;
    best = moved;
  }
  return best;
}

/// One step of Gauss and Newton in ln base, over the numbers that are near to what is predicted.
double step_from(const WrittenRope& rope, const RotationSample& sample) {
  constexpr double difference = 1e-6;  // of ln base, for the derivative
  constexpr double near = 0.5;         // of a number's size: what is further off is a lost turn
  WrittenRope beside = rope;
  beside.base *= 1 + difference;
  const Matrix<double> predicted = apply_written(rope, sample.places, sample.before);
  const Matrix<double> moved = apply_written(beside, sample.places, sample.before);
  const double size_of_unit = 1 / unit_roundoff(sample.format);
  double moment = 0, inertia = 0;
  for (Index i = 0; i < predicted.rows(); ++i)
    for (Index c = 0; c < predicted.cols(); ++c) {
      const double off = sample.after(i, c) - predicted(i, c);
      const double size = sample.unit(i, c) * size_of_unit;
      if (!(std::abs(off) <= near * size)) continue;
      const double slope = (moved(i, c) - predicted(i, c)) / difference;
      moment += slope * off / (size * size);
      inertia += slope * slope / (size * size);
    }
  return inertia > 0 ? moment / inertia : 0.0;
}

}  // namespace

double refined_base(const WrittenRope& rope, const RotationSample& sample,
                    const RotationSample& few_rows) {
  constexpr int steps = 5;
  constexpr double longest = 0.01, settled = 1e-9;
  WrittenRope at = nearest_to(smooth(rope), few_rows);
  for (int i = 0; i < steps; ++i) {
    const double step = std::clamp(step_from(at, sample), -longest, longest);
    const double base = at.base * std::exp(step);
    if (!(base > 1.01) || !std::isfinite(base)) break;
    at.base = base;
    if (std::abs(step) < settled) break;
  }
  return at.base;
}

}  // namespace orrery
