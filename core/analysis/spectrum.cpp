#include "core/analysis/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/attention/content.h"
#include "core/errors.h"

namespace orrery {

std::vector<double> wavelengths(std::span<const double> theta) {
  std::vector<double> lambda;
  for (const double frequency : theta) lambda.push_back(2.0 * std::numbers::pi / frequency);
  return lambda;
}

Index pairs_beyond(std::span<const double> theta, double context) {
  const std::vector<double> lambda = wavelengths(theta);
  return std::count_if(lambda.begin(), lambda.end(), [&](double l) { return l > context; });
}

std::vector<double> interpolated(std::span<const double> theta, double factor) {
  if (!std::isfinite(factor) || factor <= 0)
    throw UsageError(fmt::format("factor={}", factor), "must be finite and positive",
                     "a factor of 8 fits eight times the context");
  std::vector<double> slower(theta.begin(), theta.end());
  for (double& frequency : slower) frequency /= factor;
  return slower;
}

std::optional<double> base_reaching(Index d, double context) {
  const double turns = context / (2.0 * std::numbers::pi);
  if (d < 4 || turns <= 1) return std::nullopt;
  return std::pow(turns, static_cast<double>(d) / static_cast<double>(d - 2));
}

namespace {

/// The channels of the pairs [first, last], the others 0.
template <class T>
Matrix<T> only_pairs(const TurningPairs& pairs, const Matrix<T>& x, std::size_t first,
                     std::size_t last) {
  Matrix<T> kept = Matrix<T>::Zero(x.rows(), x.cols());
  for (std::size_t t = first; t <= last; ++t) {
    const auto [a, b] = pairs.channels[t];
    kept.col(a) = x.col(a);
    kept.col(b) = x.col(b);
  }
  return kept;
}

/// The channels of no pair, the others 0.
template <class T>
Matrix<T> without_pairs(const TurningPairs& pairs, const Matrix<T>& x) {
  Matrix<T> kept = x;
  for (const auto& [a, b] : pairs.channels) {
    kept.col(a).setZero();
    kept.col(b).setZero();
  }
  return kept;
}

}  // namespace

template <class T>
RopeDecomposition<T> rope_decomposition(const QkTransform<T>& rotation, const TurningPairs& pairs,
                                        const MatrixIn<T>& q, const MatrixIn<T>& k, PositionsIn m,
                                        PositionsIn n, int bands) {
  Matrix<T> turned_q = q, turned_k = k;
  rotation.transform_queries(m, turned_q);
  rotation.transform_keys(n, turned_k);
  return decomposition_of_turned<T>(pairs, turned_q, turned_k, bands);
}

template <class T>
RopeDecomposition<T> decomposition_of_turned(const TurningPairs& pairs, const MatrixIn<T>& q,
                                             const MatrixIn<T>& k, int bands,
                                             const Scoring& scoring) {
  if (bands < 1)
    throw UsageError(fmt::format("bands={}", bands), "must be at least 1", "use bands=4");
  const std::size_t all = pairs.channels.size();
  const std::size_t count = std::min<std::size_t>(all, static_cast<std::size_t>(bands));
  RopeDecomposition<T> out;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t first = b * all / count, last = (b + 1) * all / count - 1;
    // Zeroing the other pairs of q suffices: their products with k vanish.
    out.bands.push_back(
        {first, last, scaled_product<T>(only_pairs<T>(pairs, q, first, last), k, 1, scoring)});
  }
  if (2 * static_cast<Index>(all) < q.cols())
    out.rest = scaled_product<T>(without_pairs<T>(pairs, q), k, 1, scoring);
  return out;
}

#define ORRERY_INSTANTIATE(T)                                                                    \
  template RopeDecomposition<T> rope_decomposition(const QkTransform<T>&, const TurningPairs&,   \
                                                   const MatrixIn<T>&, const MatrixIn<T>&,       \
                                                   PositionsIn, PositionsIn, int);               \
  template RopeDecomposition<T> decomposition_of_turned(const TurningPairs&, const MatrixIn<T>&, \
                                                        const MatrixIn<T>&, int, const Scoring&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
