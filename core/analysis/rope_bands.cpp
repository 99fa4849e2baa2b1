#include "core/analysis/rope_bands.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention/content.h"
#include "core/errors.h"

namespace orrery {
namespace {

/// The channels of the pairs [first, last], the others 0.
template <class T>
Matrix<T> only_pairs(const Rope<T>& rope, const Matrix<T>& x, std::size_t first, std::size_t last) {
  const bool interleaved = rope.config().pairing == RopePairing::interleaved;
  const auto pairs = static_cast<Index>(rope.theta().size());
  Matrix<T> kept = Matrix<T>::Zero(x.rows(), x.cols());
  for (auto t = static_cast<Index>(first); t <= static_cast<Index>(last); ++t) {
    const Index a = interleaved ? 2 * t : t;
    const Index b = interleaved ? 2 * t + 1 : t + pairs;
    kept.col(a) = x.col(a);
    kept.col(b) = x.col(b);
  }
  return kept;
}

template <class T>
Matrix<T> only_from(const Matrix<T>& x, Index channel) {
  Matrix<T> kept = Matrix<T>::Zero(x.rows(), x.cols());
  kept.rightCols(x.cols() - channel) = x.rightCols(x.cols() - channel);
  return kept;
}

}  // namespace

template <class T>
RopeDecomposition<T> rope_decomposition(const Rope<T>& rope, const MatrixIn<T>& q,
                                        const MatrixIn<T>& k, PositionsIn m, PositionsIn n,
                                        int bands) {
  if (bands < 1)
    throw UsageError(fmt::format("bands={}", bands), "must be at least 1", "use bands=4");
  Matrix<T> turned_q = q, turned_k = k;
  rope.transform_queries(m, turned_q);
  rope.transform_keys(n, turned_k);
  const std::size_t pairs = rope.theta().size();
  const std::size_t count = std::min<std::size_t>(pairs, static_cast<std::size_t>(bands));
  RopeDecomposition<T> out;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t first = b * pairs / count, last = (b + 1) * pairs / count - 1;
    // One side is enough: what is 0 there counts nothing.
    out.bands.push_back(
        {first, last, scaled_product<T>(only_pairs(rope, turned_q, first, last), turned_k, 1)});
  }
  const auto turning = 2 * static_cast<Index>(pairs);
  if (turning < turned_q.cols())
    out.rest = scaled_product<T>(only_from(turned_q, turning), turned_k, 1);
  return out;
}

template RopeDecomposition<float> rope_decomposition(const Rope<float>&, const MatrixIn<float>&,
                                                     const MatrixIn<float>&, PositionsIn,
                                                     PositionsIn, int);
template RopeDecomposition<double> rope_decomposition(const Rope<double>&, const MatrixIn<double>&,
                                                      const MatrixIn<double>&, PositionsIn,
                                                      PositionsIn, int);

}  // namespace orrery
