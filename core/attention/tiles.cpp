#include "core/attention/tiles.h"

#include <algorithm>
#include <vector>

#include "core/kernels/tiles.h"

namespace orrery {
namespace {

static_assert(tile_queries % static_cast<Index>(kernels::tile_rows) == 0);

constexpr Index rounded_up(Index n, Index to) { return (n + to - 1) / to * to; }

template <class T>
Index vector_lanes() {
  return static_cast<Index>(kernels::tile_kernels<T>().lanes);
}

}  // namespace

Index rows_at_once(Index keys) {
  constexpr Index cells = Index{1} << 18;
  return tile_queries * std::max<Index>(1, cells / std::max<Index>(1, keys) / tile_queries);
}

Index padded_queries(Index queries) {
  return rounded_up(queries, static_cast<Index>(kernels::tile_rows));
}

template <class T>
Index padded_keys(Index keys) {
  return rounded_up(keys, PackedKeys<T>::panel());
}

template <class T>
Index PackedKeys<T>::panel() {
  return static_cast<Index>(kernels::tile_kernels<T>().panel);
}

template <class T>
PackedKeys<T>::PackedKeys(const MatrixIn<T>& keys)
    : d_(keys.cols()),
      keys_(keys.rows()),
      packed_(rounded_up(keys.rows(), panel()) / panel() * keys.cols(), panel()) {
  kernels::tile_kernels<T>().pack_transpose(static_cast<std::size_t>(keys.rows()),
                                            static_cast<std::size_t>(d_), keys.data(),
                                            keys.outerStride(), packed_.data());
}

template <class T>
void PackedKeys<T>::scores(const Matrix<T>& q, Index first, const TilePart& part,
                           Matrix<T>& tile) const {
  kernels::tile_kernels<T>().multiply(
      {.rows = static_cast<std::size_t>(part.rows),
       .inner = static_cast<std::size_t>(d_),
       .columns = static_cast<std::size_t>(rounded_up(part.columns, vector_lanes<T>())),
       .a = q.row(part.row).data(),
       .a_stride = q.outerStride(),
       .b = packed_.data() + (first + part.column) * d_,
       .b_stride = panel(),
       .b_panel = panel() * d_,
       .c = &tile(part.row, part.column),
       .c_stride = tile.outerStride(),
       .add = false});
}

template <class T>
PackedValues<T>::PackedValues(const MatrixIn<T>& values)
    : rows_(values.rows()),
      channels_(values.cols()),
      columns_(rounded_up(values.cols(), vector_lanes<T>())),
      values_(values.data()),
      stride_(values.outerStride()) {
  const Index panel = PackedKeys<T>::panel();
  if (columns_ == values.cols() && columns_ <= panel) return;
  packed_.resize(rounded_up(columns_, panel) / panel * rows_, panel);
  kernels::tile_kernels<T>().pack(static_cast<std::size_t>(rows_),
                                  static_cast<std::size_t>(channels_), values.data(),
                                  values.outerStride(), packed_.data());
  values_ = packed_.data();
  stride_ = panel;
}

template <class T>
void PackedValues<T>::weigh(const T* weights, Index stride, Index first, const TilePart& part,
                            Matrix<T>& sum, bool add) const {
  kernels::tile_kernels<T>().multiply({.rows = static_cast<std::size_t>(part.rows),
                                       .inner = static_cast<std::size_t>(part.columns),
                                       .columns = static_cast<std::size_t>(columns_),
                                       .a = weights,
                                       .a_stride = stride,
                                       .b = values_ + (first + part.column) * stride_,
                                       .b_stride = stride_,
                                       .b_panel = rows_ * stride_,
                                       .c = sum.row(part.row).data(),
                                       .c_stride = sum.outerStride(),
                                       .add = add});
}

template <class T>
bool all_finite(const MatrixIn<T>& x) {
  return (x.array() * T(0)).sum() == T(0);
}

template <class T>
Matrix<T> scores_of(const MatrixIn<T>& a, const MatrixIn<T>& b, T scale) {
  return scores_of<T>(a, PackedKeys<T>(b), b.rows(), scale);
}

template <class T>
Matrix<T> scores_of(const MatrixIn<T>& a, const PackedKeys<T>& b, Index keys, T scale) {
  Matrix<T> q = Matrix<T>::Zero(padded_queries(std::min(tile_queries, a.rows())), a.cols());
  Matrix<T> tile(q.rows(), padded_keys<T>(std::min(tile_keys, keys)));
  Matrix<T> out(a.rows(), keys);
  for (Index i = 0; i < a.rows(); i += tile_queries) {
    const Index queries = std::min(tile_queries, a.rows() - i);
    q.topRows(queries) = a.middleRows(i, queries);
    for (Index j = 0; j < keys; j += tile_keys) {
      const Index count = std::min(tile_keys, keys - j);
      b.scores(q, j, count, tile);
      out.block(i, j, queries, count) = tile.topLeftCorner(queries, count) * scale;
    }
  }
  return out;
}

KeyRange any_of(std::span<const VisibleKeys> seen) {
  KeyRange any{};
  for (const VisibleKeys& keys : seen) {
    if (keys.first == keys.end) continue;
    any.first = any.end == 0 ? keys.first : std::min(any.first, keys.first);
    any.end = std::max(any.end, keys.end);
  }
  return any;
}

KeyRange keys_of_any(const Mask& mask, Index first, Index count, Index keys) {
  std::vector<VisibleKeys> seen;
  for (Index i = first; i < first + count; ++i) seen.push_back(mask.keys_of(i, keys));
  return any_of(seen);
}

template <class T>
Matrix<T> weighted_values(const Matrix<T>& weights, const PackedValues<T>& v, bool finite,
                          const Mask& mask) {
  Matrix<T> out = Matrix<T>::Zero(weights.rows(), v.channels());
  // The last queries may fill a block of rows only in part.
  Matrix<T> tile = Matrix<T>::Zero(padded_queries(std::min(tile_queries, weights.rows())),
                                   std::min(tile_keys, weights.cols()));
  Matrix<T> sum(tile.rows(), v.columns());
  for (Index i = 0; i < out.rows(); i += tile_queries) {
    const Index queries = std::min(tile_queries, out.rows() - i);
    const KeyRange seen = finite ? keys_of_any(mask, i, queries, v.rows()) : KeyRange{0, v.rows()};
    // From multiples of a block, so that a row's sum does not depend on what other rows see.
    for (Index j = seen.first / tile_keys * tile_keys; j < seen.end; j += tile_keys) {
      const Index count = std::min(tile_keys, seen.end - j);
      if (queries == tile_queries) {
        v.weigh(&weights(i, j), weights.outerStride(), j, {.rows = sum.rows(), .columns = count},
                sum, false);
      } else {
        tile.topLeftCorner(queries, count) = weights.block(i, j, queries, count);
        v.weigh(tile, j, count, sum);
      }
      out.middleRows(i, queries) += sum.topLeftCorner(queries, v.channels());
    }
  }
  return out;
}

#define ORRERY_INSTANTIATE(T)                                                       \
  template class PackedKeys<T>;                                                     \
  template class PackedValues<T>;                                                   \
  template Index padded_keys<T>(Index);                                             \
  template bool all_finite(const MatrixIn<T>&);                                     \
  template Matrix<T> scores_of(const MatrixIn<T>&, const MatrixIn<T>&, T);          \
  template Matrix<T> scores_of(const MatrixIn<T>&, const PackedKeys<T>&, Index, T); \
  template Matrix<T> weighted_values(const Matrix<T>&, const PackedValues<T>&, bool, const Mask&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
