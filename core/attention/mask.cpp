#include "core/attention/mask.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/errors.h"

namespace orrery {
namespace {

template <class Allowed>
Mask from_positions(PositionsIn m, PositionsIn n, const Allowed& allowed) {
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
  return Mask(a.allowed_.cwiseProduct(b.allowed_).eval());
}

}  // namespace orrery
