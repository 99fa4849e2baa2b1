#include <algorithm>
#include <cmath>

#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rope_search.h"

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

/// A step of Gauss and Newton in the logarithms of the base and of the scaling's factor, over the
/// numbers that are near to what is predicted.
struct NumberStep {
  double base{0}, factor{0};
  double factor_error{0};  ///< of ln factor, as what is left says
};

/// How each number changes with ln of what `change` multiplies.
template <class Change>
Matrix<double> slopes_of(WrittenRope rope, const RotationSample& sample,
                         const Matrix<double>& predicted, const Change& change) {
  constexpr double difference = 1e-6;
  change(rope, 1 + difference);
  return (apply_written(rope, sample.places, sample.before) - predicted) / difference;
}

/// Numbers of a rope that a sample is to tell.
struct OpenNumbers {
  bool base{true}, factor{false};
};

NumberStep step_from(const WrittenRope& rope, const RotationSample& sample, OpenNumbers open) {
  constexpr double near = 0.5;  // of a number's size: what is further off is a lost turn
  constexpr double independent = 1e-9;
  const Matrix<double> predicted = apply_written(rope, sample.places, sample.before);
  Matrix<double> by_base = Matrix<double>::Zero(predicted.rows(), predicted.cols());
  Matrix<double> by_factor = by_base;
  if (open.base)
    by_base = slopes_of(rope, sample, predicted, [](WrittenRope& r, double by) { r.base *= by; });
  if (open.factor)
    by_factor = slopes_of(rope, sample, predicted,
                          [](WrittenRope& r, double by) { r.scaling.factor *= by; });
  const double size_of_unit = 1 / unit_roundoff(sample.format);
  double bb = 0, bf = 0, ff = 0, by = 0, fy = 0, yy = 0, count = 0;
  for (Index i = 0; i < predicted.rows(); ++i)
    for (Index c = 0; c < predicted.cols(); ++c) {
      const double size = sample.unit(i, c) * size_of_unit;
      const double off = (sample.after(i, c) - predicted(i, c)) / size;
      if (!(std::abs(off) <= near)) continue;
      const double b = by_base(i, c) / size, f = by_factor(i, c) / size;
      bb += b * b;
      bf += b * f;
      ff += f * f;
      by += b * off;
      fy += f * off;
      yy += off * off;
      ++count;
    }
  const double determinant = bb * ff - bf * bf;
  const double left = std::sqrt(yy / std::max<double>(count, 1));
  if (bb == 0 && ff > 0) return {.factor = fy / ff, .factor_error = left / std::sqrt(ff)};
  if (!(bb > 0)) return {};
  if (!(determinant > independent * bb * ff)) return {.base = by / bb};
  return {(ff * by - bf * fy) / determinant, (bb * fy - bf * by) / determinant,
          left * std::sqrt(bb / determinant)};
}

}  // namespace

bool has_odd_factor(const WrittenRope& rope) {
  using enum RopeScalingKind;
  const RopeScalingKind kind = rope.scaling.kind;
  const bool has_factor = kind == linear || kind == ntk_by_parts || kind == yarn || kind == llama3;
  return has_factor && !is_known(known_factors(), rope.scaling.factor);
}

namespace {

/// Steps from a rope, and the last one's error of the factor.
double step_numbers(WrittenRope& at, const RotationSample& sample, OpenNumbers open) {
  constexpr int most_steps = 5;
  constexpr double longest = 0.01, settled = 1e-9;
  double error = 0;
  for (int i = 0; i < most_steps; ++i) {
    NumberStep step = step_from(at, sample, open);
    step.base = std::clamp(step.base, -longest, longest);
    step.factor = std::clamp(step.factor, -longest, longest);
    const double base = at.base * std::exp(step.base);
    if (!(base > 1.01) || !std::isfinite(base)) break;
    at.base = base;
    at.scaling.factor = std::max<double>(1, at.scaling.factor * std::exp(step.factor));
    error = step.factor_error;
    if (std::abs(step.base) + std::abs(step.factor) < settled) break;
  }
  return error;
}

}  // namespace

WrittenRope with_whole_head(const WrittenRope& rope) {
  WrittenRope whole = rope;
  whole.rotary_dims = rope.d_head;
  whole.begin = 0;
  whole.partial = RopePartial::truncated;
  whole.base = std::pow(rope.base,
                        static_cast<double>(rope.d_head) / static_cast<double>(2 * pairs_of(rope)));
  return whole;
}

WrittenRope refined_numbers(const WrittenRope& rope, const RotationSample& sample,
                            const RotationSample& few_rows, bool keeps_base) {
  constexpr double errors = 3;
  const OpenNumbers open{.base = !keeps_base, .factor = has_odd_factor(rope)};
  WrittenRope at = open.base ? nearest_to(smooth(rope), few_rows) : smooth(rope);
  const double error = step_numbers(at, sample, open);
  if (error > 0) {
    at.scaling.factor = std::max<double>(1, with_few_digits(at.scaling.factor, errors * error));
    if (open.base) step_numbers(at, sample, {});
  }
  WrittenRope refined = rope;
  refined.base = at.base;
  refined.scaling.factor = at.scaling.factor;
  return refined;
}

void HypothesisList::refine_bases() {
  const std::size_t count = std::min<std::size_t>(found().size(), 3);
  for (std::size_t i = 0; i < count; ++i) {
    WrittenRope rope = found()[i].rope;
    const bool is_known_base = is_known(known_bases(), rope.base);
    const bool has_odd = has_odd_factor(rope);
    if (fits_well() && is_known_base && !has_odd) continue;
    if (is_known_base && has_odd) add(refined_numbers(rope, sample(), small(), true));
    rope = refined_numbers(rope, sample(), small());
    if (is_known_base && !leaves_far_less(rope, found()[i])) continue;
    add_with_fewer_digits(rope);
  }
  keep(kept::with_estimates, sample());
}

/// A base that is fitted always leaves a little less than a known one: that alone says nothing
/// against a known base where products are rounded, too.
bool HypothesisList::leaves_far_less(const WrittenRope& rope, const RopeHypothesis& known) const {
  return residual_of(rope, sample()).sum_of_squares < 0.5 * known.residual.sum_of_squares;
}

void HypothesisList::add_with_fewer_digits(WrittenRope rope) {
  add(rope);
  const double base = rope.base;
  for (const int digits : {1, 2, 3, 4, 5, 6, 7, 8}) {
    rope.base = rounded_to_digits(base, digits);
    if (rope.base > 1) add(rope);
  }
}

}  // namespace orrery
