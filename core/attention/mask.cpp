#include "core/attention/mask.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "core/errors.h"

namespace orrery {
namespace {

template <class Allowed>
Mask from_positions(PositionsIn m, PositionsIn n, const Allowed& allowed) {
  check_positions(m);
  check_positions(n);
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> matrix(
      static_cast<Index>(m.size()), static_cast<Index>(n.size()));
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      matrix(i, j) = allowed(
          relative_position(m[static_cast<std::size_t>(i)], n[static_cast<std::size_t>(j)]));
  return Mask(std::move(matrix));
}

}  // namespace

Mask Mask::causal(PositionsIn m, PositionsIn n) {
  return from_positions(m, n, [](Position r) { return r >= 0; });
}

Mask Mask::sliding_window(PositionsIn m, PositionsIn n, Position width) {
  if (width < 1)
    throw UsageError(fmt::format("window width {}", width), "must be at least 1",
                     "width 1 lets a token see itself");
  return from_positions(m, n, [width](Position r) { return std::abs(r) < width; });
}

Mask Mask::padding(Index queries, const std::vector<bool>& key_is_real) {
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> matrix(
      queries, static_cast<Index>(key_is_real.size()));
  for (Index j = 0; j < matrix.cols(); ++j)
    matrix.col(j).setConstant(key_is_real[static_cast<std::size_t>(j)]);
  return Mask(std::move(matrix));
}

bool Mask::hides(double value) {
  constexpr double lowest_fp16 = -65504;
  constexpr double lowest_bf16 = -0x1.fep127;
  return value == lowest_fp16 || value <= lowest_bf16;
}

Mask Mask::additive(Matrix<double> values) {
  Mask mask(values.unaryExpr([](double value) { return !hides(value); }).eval());
  values = values.unaryExpr([](double value) { return hides(value) ? 0.0 : value; }).eval();
  if ((values.array() != 0).any()) mask.added_ = std::move(values);
  return mask;
}

void Mask::check_shape(Index queries, Index keys) const {
  if (everything_ || (allowed_.rows() == queries && allowed_.cols() == keys)) return;
  throw UsageError(fmt::format("a mask of [{}, {}]", allowed_.rows(), allowed_.cols()),
                   fmt::format("must be [queries, keys] = [{}, {}]", queries, keys),
                   "build it from the positions of these queries and keys");
}

Mask operator&(const Mask& a, const Mask& b) {
  if (a.everything_) return b;
  if (b.everything_) return a;
  a.check_shape(b.allowed_.rows(), b.allowed_.cols());
  Mask both(a.allowed_.cwiseProduct(b.allowed_).eval());
  both.added_ = a.added_.size() == 0   ? b.added_
                : b.added_.size() == 0 ? a.added_
                                       : (a.added_ + b.added_).eval();
  return both;
}

}  // namespace orrery
