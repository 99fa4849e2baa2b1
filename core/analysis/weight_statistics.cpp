#include "core/analysis/weight_statistics.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "core/errors.h"

namespace orrery {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct RowTotals {
  Index visible{};
  Index negative{};
  double sum{};
  double negative_mass{};
  double mass{};
  Smallest least{0.0};
};

RowTotals totals_of_row(const Matrix<double>& weights, const Mask& mask, Index i) {
  RowTotals row;
  for (Index j = 0; j < weights.cols(); ++j) {
    if (!mask.allows(i, j)) continue;
    const double w = weights(i, j);
    ++row.visible;
    row.negative += w < 0 ? 1 : 0;
    row.sum += w;
    row.mass += std::abs(w);
    row.negative_mass += w < 0 ? -w : 0.0;
    row.least.see(w);
  }
  return row;
}

}  // namespace

WeightSigns weight_signs(const Matrix<double>& weights, const Mask& mask) {
  mask.check_shape(weights.rows(), weights.cols());
  RowTotals all;
  Smallest least_sum(std::numeric_limits<double>::infinity());
  Largest largest_sum(-std::numeric_limits<double>::infinity()), sum_error;
  for (Index i = 0; i < weights.rows(); ++i) {
    const RowTotals row = totals_of_row(weights, mask, i);
    if (row.visible == 0) continue;
    all.visible += row.visible;
    all.negative += row.negative;
    all.mass += row.mass;
    all.negative_mass += row.negative_mass;
    all.least.see(row.least.value());
    least_sum.see(row.sum);
    largest_sum.see(row.sum);
    sum_error.see(std::abs(1.0 - row.sum));
  }
  if (all.visible == 0)
    return {not_a_number, not_a_number, not_a_number, not_a_number, not_a_number, not_a_number};
  return {.negative_share = std::isnan(all.mass) ? not_a_number
                                                 : static_cast<double>(all.negative) /
                                                       static_cast<double>(all.visible),
          .most_negative = all.least.value(),
          .negative_mass = all.mass == 0 ? 0.0 : all.negative_mass / all.mass,
          .row_sum_min = least_sum.value(),
          .row_sum_max = largest_sum.value(),
          .row_sum_error = sum_error.value()};
}

std::vector<double> row_sums(const Matrix<double>& weights) {
  std::vector<double> sums;
  for (Index i = 0; i < weights.rows(); ++i) sums.push_back(weights.row(i).sum());
  return sums;
}

std::vector<double> negative_mass_by_row(const Matrix<double>& weights) {
  std::vector<double> shares;
  for (Index i = 0; i < weights.rows(); ++i) {
    const double all = weights.row(i).cwiseAbs().sum();
    const double negative = 0.5 * (all - weights.row(i).sum());
    shares.push_back(all == 0 ? 0.0 : negative / all);
  }
  return shares;
}

double mean_half_difference(const Matrix<double>& a, const Matrix<double>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols())
    throw UsageError(
        fmt::format("weights of [{}, {}] and [{}, {}]", a.rows(), a.cols(), b.rows(), b.cols()),
        "must have the same shape", "compare maps of the same tokens");
  return a.rows() == 0 ? 0.0 : (a - b).cwiseAbs().sum() / 2.0 / static_cast<double>(a.rows());
}

std::vector<double> mean_weight_by_distance(const Matrix<double>& weights) {
  const Index first = weights.rows() / 2;
  const auto queries = static_cast<double>(weights.rows() - first);
  std::vector<double> mean(static_cast<std::size_t>(first));
  for (Index r = 0; r < first; ++r)
    for (Index i = first; i < weights.rows(); ++i)
      mean[static_cast<std::size_t>(r)] += weights(i, i - r) / queries;
  return mean;
}

template <class T>
RowStatistics row_statistics(const Matrix<T>& weights, Index row, Position m, PositionsIn n) {
  RowStatistics s;
  for (Index j = 0; j < weights.cols(); ++j) {
    const auto w = static_cast<double>(weights(row, j));
    if (!(w <= 0)) s.entropy_bits -= w * std::log2(w);
    s.mean_distance +=
        w * std::abs(static_cast<double>(relative_position(m, n[static_cast<std::size_t>(j)])));
    if (weights(row, j) > weights(row, s.strongest)) s.strongest = j;
  }
  return s;
}

template RowStatistics row_statistics(const Matrix<float>&, Index, Position, PositionsIn);
template RowStatistics row_statistics(const Matrix<double>&, Index, Position, PositionsIn);

}  // namespace orrery
