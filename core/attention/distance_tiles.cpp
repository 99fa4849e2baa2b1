#include "core/attention/online_attention.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/kernels/tiles.h"

namespace orrery {
namespace {

constexpr auto row_block = static_cast<Index>(kernels::tile_rows);

/// Columns of the products of a block of keys: each of its keys needs tile_queries of them, one
/// further on than the key before.
constexpr Index key_columns = 64;
static_assert(tile_queries + row_block - 1 <= key_columns);

Index largest_count(Index rows) { return std::min<Index>(rows, tile_queries + tile_keys - 1); }

}  // namespace

template <class T>
QueryTerms<T>::QueryTerms(const DistanceVectors<T>& vectors, const PackedKeys<T>& packed)
    : vectors_(vectors),
      packed_(packed),
      products_(padded_queries(tile_queries),
                padded_keys<T>(largest_count(vectors.rows.rows()) + PackedKeys<T>::panel())) {}

template <class T>
void QueryTerms<T>::see(const Matrix<T>& q, Position corner, std::span<const Index> ends) {
  const auto window = [&](Index first, Index count) {
    const auto of_these =
        ends.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    return DistanceWindow(corner - vectors_.first - first, count,
                          *std::ranges::max_element(of_these), vectors_.rows.rows());
  };
  const auto queries = static_cast<Index>(ends.size());
  const auto panel_of = [](Index row) { return row - row % PackedKeys<T>::panel(); };
  window_ = window(0, queries);
  base_ = panel_of(window_.first_row());
  // A few queries at a time: distances differ by as much within them.
  constexpr Index together = 4 * row_block;
  for (Index i = 0; i < queries; i += together) {
    const DistanceWindow part = window(i, std::min(together, queries - i));
    const Index first = panel_of(part.first_row());
    packed_.scores(q, base_,
                   {.row = i,
                    .rows = std::min(together, q.rows() - i),
                    .column = first - base_,
                    .columns = part.last_row() - first + 1},
                   products_);
  }
}

template <class T>
T QueryTerms<T>::add(Index i, Index first, Index end, std::span<const T* const> rows,
                     T* logits) const {
  const auto& kernels = kernels::tile_kernels<T>();
  const T* products = products_.row(i).data() - base_;
  const auto [begin, stop] = window_.between(i, first, end);
  T largest = -std::numeric_limits<T>::infinity();
  std::array<const T*, 3> shifted{};
  const auto part = [&](Index from, Index to, T constant, const T* more) {
    std::size_t count = 0;
    for (const T* row : rows) shifted[count++] = row + from;
    if (more) shifted[count++] = more;
    largest = std::max(largest, kernels.add_rows(static_cast<std::size_t>(to - from), constant,
                                                 shifted.data(), count, logits + from));
  };
  // The outermost products are there only where a cell takes them.
  if (first < begin) part(first, begin, products[0], nullptr);
  if (begin < stop) part(begin, stop, T(0), products + window_.shift(i) + begin);
  if (stop < end) part(stop, end, products[vectors_.rows.rows() - 1], nullptr);
  return largest;
}

template <class T>
KeyVectors<T>::KeyVectors(const MatrixIn<T>& k, const DistanceVectors<T>& vectors)
    : vectors_(vectors),
      k_(Matrix<T>::Zero(k.rows() + row_block, k.cols())),
      // 16 more, so that the rows are not a power of two apart.
      wide_(k.cols(), vectors.rows.rows() + 2 * key_columns + 16) {
  k_.topRows(k.rows()) = k;
  const Index rows = vectors.rows.rows();
  for (Index c = 0; c < wide_.cols(); ++c)
    wide_.col(c) =
        vectors.rows.row(std::clamp<Index>(rows - 1 - (c - key_columns), 0, rows - 1)).transpose();
  Matrix<T> ends(2, k.cols());
  ends << vectors.rows.row(0), vectors.rows.row(rows - 1);
  edges_ = scores_of<T>(ends, k);
}

template <class T>
KeyTerms<T>::KeyTerms(const KeyVectors<T>& of)
    : of_(of),
      by_key_(Matrix<T>::Zero(padded_queries(tile_keys) + 2, key_columns)),
      // 16 more, so that the rows are not a power of two apart.
      terms_(tile_queries, tile_keys + 16) {}

template <class T>
void KeyTerms<T>::see(Index first_key, Position corner, Index queries, Index keys) {
  const Index rows = of_.vectors_.rows.rows();
  const DistanceWindow window(corner - of_.vectors_.first, queries, keys, rows);
  const bool below = window.last_row() == 0;
  const bool above = window.first_row() == rows - 1;
  edge_ = below || above ? of_.edges_.row(below ? 0 : 1).data() + first_key : nullptr;
  if (edge_) return;
  multiply(first_key, corner, keys);
  kernels::tile_kernels<T>().transpose(
      static_cast<std::size_t>(keys), static_cast<std::size_t>(tile_queries), by_key_.row(1).data(),
      key_columns, terms_.data(), terms_.outerStride());
}

/// Row 1 + j of by_key_ becomes k_j·b for the distances to queries 0, 1, … of the tile.
template <class T>
void KeyTerms<T>::multiply(Index first_key, Position corner, Index keys) {
  const auto& kernels = kernels::tile_kernels<T>();
  const Index rows = of_.vectors_.rows.rows();
  const std::size_t needed = tile_queries + row_block - 1;
  const std::size_t columns = (needed + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  for (Index j = 0; j < keys; j += row_block) {
    // Column 0 is the first query's distance to the block's last key.
    const Position last = corner - of_.vectors_.first + j + row_block - 1;
    const Index column = std::clamp<Position>(rows - 1 - last, -key_columns, rows) + key_columns;
    // A row further right for every key, so that all begin with query 0: columns that no query
    // needs end up behind it or before it, in what is not read.
    kernels.multiply({.rows = static_cast<std::size_t>(row_block),
                      .inner = static_cast<std::size_t>(of_.k_.cols()),
                      .columns = columns,
                      .a = of_.k_.row(first_key + j).data(),
                      .a_stride = of_.k_.outerStride(),
                      .b = of_.wide_.data() + column,
                      .b_stride = of_.wide_.outerStride(),
                      .b_panel = static_cast<std::ptrdiff_t>(kernels.panel),
                      .c = by_key_.row(1 + j).data() - (row_block - 1),
                      .c_stride = key_columns + 1,
                      .add = false});
  }
}

template <class T>
ValueTerms<T>::ValueTerms(const DistanceVectors<T>& vectors)
    : vectors_(vectors),
      packed_(vectors.rows),
      by_row_(padded_queries(tile_queries), largest_count(vectors.rows.rows())) {}

template <class T>
void ValueTerms<T>::see(Position corner, Index queries, Index keys) {
  window_ = DistanceWindow(corner - vectors_.first, queries, keys, vectors_.rows.rows());
  by_row_.leftCols(window_.count()).setZero();
}

template <class T>
double ValueTerms<T>::weigh(Index i, Index first, Index end, T shift, T* logits) {
  const auto& kernels = kernels::tile_kernels<T>();
  const auto [begin, stop] = window_.between(i, first, end);
  const auto part = [&](Index from, Index to) {
    return kernels.exponentials(static_cast<std::size_t>(to - from), shift, logits + from);
  };
  const double before = part(first, begin), middle = part(begin, stop), after = part(stop, end);
  const Index base = window_.first_row();
  T* weights = by_row_.row(i).data();
  if (begin < stop)
    std::copy(logits + begin, logits + stop, weights + window_.shift(i) + begin - base);
  if (first < begin) weights[0] += static_cast<T>(before);
  if (stop < end) weights[window_.last_row() - base] += static_cast<T>(after);
  return before + middle + after;
}

template <class T>
void ValueTerms<T>::add(Matrix<T>& sum) const {
  packed_.weigh(by_row_, window_.first_row(), window_.count(), sum, true);
}

#define ORRERY_INSTANTIATE(T)   \
  template class QueryTerms<T>; \
  template class KeyVectors<T>; \
  template class KeyTerms<T>;   \
  template class ValueTerms<T>

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
