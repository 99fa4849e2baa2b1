#include "core/analysis/invariance.h"

#include <cmath>
#include <type_traits>

#include "core/analysis/largest.h"

namespace orrery {
namespace {

/// max‖q‖·max‖k‖/√d: no logit is larger.
template <class T>
double largest_score(const Matrix<T>& q, const Matrix<T>& k) {
  return largest_row_norm<T>(q) * largest_row_norm<T>(k) / std::sqrt(static_cast<double>(q.cols()));
}

template <class T>
constexpr Precision native = std::is_same_v<T, float> ? Precision::fp32 : Precision::fp64;

}  // namespace

template <class T>
ShiftError shift_error(const Matrix<T>& reference, const Matrix<T>& shifted, Precision precision) {
  const double largest = largest_difference<T>(shifted, reference);
  return {largest, largest / ulp(precision, largest_magnitude<T>(reference))};
}

template <class T>
double invariance_bound(const Matrix<T>& q, const Matrix<T>& k, const StageRounding& rounding) {
  const double d = static_cast<double>(q.cols());
  const double stage = rounding_unit(rounding);
  const double relative = (d + 10.0) * unit_roundoff(native<T>) + 12.0 * stage;
  return 2.0 * relative * largest_score(q, k);
}

bool holds_whole_numbers(Precision format, Position largest) {
  return static_cast<double>(largest) <= 1.0 / unit_roundoff(format);
}

template <class T>
double angle_rounding_bound(const Matrix<T>& q, const Matrix<T>& k, const StageRounding& rounding,
                            Position largest) {
  const Precision angle = rounding.format(Stage::angle);
  const Precision position = rounding.format(Stage::position);
  double relative = 0;
  if (angle != Precision::fp64) relative += unit_roundoff(Precision::fp32);
  if (angle != Precision::fp64 && angle != Precision::fp32) relative += unit_roundoff(angle);
  if (!holds_whole_numbers(position, largest)) relative += unit_roundoff(position);
  return 4.0 * relative * static_cast<double>(largest) * largest_score(q, k);
}

Positions shifted(PositionsIn positions, Position s) {
  Positions moved(positions.begin(), positions.end());
  for (Position& p : moved) p += s;
  check_positions(moved, static_cast<Index>(moved.size()));
  return moved;
}

template ShiftError shift_error<float>(const Matrix<float>&, const Matrix<float>&, Precision);
template ShiftError shift_error<double>(const Matrix<double>&, const Matrix<double>&, Precision);
template double invariance_bound<float>(const Matrix<float>&, const Matrix<float>&,
                                        const StageRounding&);
template double invariance_bound<double>(const Matrix<double>&, const Matrix<double>&,
                                         const StageRounding&);
template double angle_rounding_bound<float>(const Matrix<float>&, const Matrix<float>&,
                                            const StageRounding&, Position);
template double angle_rounding_bound<double>(const Matrix<double>&, const Matrix<double>&,
                                             const StageRounding&, Position);

}  // namespace orrery
