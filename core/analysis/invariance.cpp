#include "core/analysis/invariance.h"

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/analysis/largest.h"
#include "core/errors.h"

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

template <class T>
std::vector<double> row_norms(const Matrix<T>& x) {
  std::vector<double> norms;
  for (Index i = 0; i < x.rows(); ++i) norms.push_back(x.row(i).template cast<double>().norm());
  return norms;
}

RatioSpread norm_ratios(const std::vector<double>& before, const std::vector<double>& after) {
  if (before.empty() || before.size() != after.size())
    throw UsageError(fmt::format("{} norms before and {} after", before.size(), after.size()),
                     "there must be as many, and one at least", "give the same rows twice");
  double sum = 0;
  Smallest least(std::numeric_limits<double>::infinity());
  Largest greatest(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double ratio = after[i] / before[i];
    sum += ratio;
    least.see(ratio);
    greatest.see(ratio);
  }
  return {sum / static_cast<double>(before.size()), least.value(), greatest.value()};
}

template <class T>
double rotation_norm_bound(Index d, const StageRounding& rounding) {
  return 8.0 * unit_roundoff(native<T>) + 4.0 * rounding_unit(rounding) +
         static_cast<double>(d) * 0x1p-53;
}

template <class T>
double cosine_law_residual(const Matrix<T>& sum, const Matrix<T>& x, const Matrix<T>& p) {
  if (sum.rows() != x.rows() || sum.rows() != p.rows() || sum.cols() != x.cols() ||
      sum.cols() != p.cols())
    throw UsageError(
        fmt::format("x [{}, {}] and p [{}, {}]", x.rows(), x.cols(), p.rows(), p.cols()),
        "must have the shape of their sum", "give the rows that were added");
  Largest largest;
  for (Index i = 0; i < x.rows(); ++i) {
    const auto x_i = x.row(i).template cast<double>();
    const auto p_i = p.row(i).template cast<double>();
    const double size = std::pow(x_i.norm() + p_i.norm(), 2);
    if (size == 0) continue;
    const double expected = x_i.squaredNorm() + 2.0 * x_i.dot(p_i) + p_i.squaredNorm();
    largest.see(std::abs(sum.row(i).template cast<double>().squaredNorm() - expected) / size);
  }
  return largest.value();
}

template <class T>
double cosine_law_bound(Index d, const StageRounding& rounding) {
  return 4.0 * unit_roundoff(native<T>) + 4.0 * rounding_unit(rounding) +
         2.0 * static_cast<double>(d) * 0x1p-53;
}

template std::vector<double> row_norms<float>(const Matrix<float>&);
template std::vector<double> row_norms<double>(const Matrix<double>&);
template double rotation_norm_bound<float>(Index, const StageRounding&);
template double rotation_norm_bound<double>(Index, const StageRounding&);
template double cosine_law_residual<float>(const Matrix<float>&, const Matrix<float>&,
                                           const Matrix<float>&);
template double cosine_law_residual<double>(const Matrix<double>&, const Matrix<double>&,
                                            const Matrix<double>&);
template double cosine_law_bound<float>(Index, const StageRounding&);
template double cosine_law_bound<double>(Index, const StageRounding&);

}  // namespace orrery
