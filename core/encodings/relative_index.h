#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/attention/logit_factors.h"
#include "core/encoding.h"
#include "core/precision.h"

namespace orrery {

// Relative encodings look their tables up by an index of the relative position. Every index
// function here takes r = m − n, query minus key, whatever sign its paper uses.

/// value_of(m, n) for every pair. [N_q, N_k]
template <class Value, class ValueOf>
Matrix<Value> matrix_of_pairs(PositionsIn m, PositionsIn n, const ValueOf& value_of) {
  Matrix<Value> values(static_cast<Index>(m.size()), static_cast<Index>(n.size()));
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      values(i, j) = static_cast<Value>(
          value_of(m[static_cast<std::size_t>(i)], n[static_cast<std::size_t>(j)]));
  return values;
}

/// value_of(m − n) for every pair. [N_q, N_k]
template <class Value, class ValueOf>
Matrix<Value> matrix_of_distances(PositionsIn m, PositionsIn n, const ValueOf& value_of) {
  const std::optional<Distances> distances = consecutive_distances(m, n);
  if (!distances)
    return matrix_of_pairs<Value>(m, n, [&](Position query, Position key) {
      return value_of(relative_position(query, key));
    });
  // Once per distance: a row of the matrix is a shifted view of it.
  std::vector<Value> by_distance(static_cast<std::size_t>(distances->count));
  for (std::size_t i = 0; i < by_distance.size(); ++i)
    by_distance[i] = static_cast<Value>(value_of(-(distances->first + static_cast<Position>(i))));
  Matrix<Value> values(static_cast<Index>(m.size()), static_cast<Index>(n.size()));
  for (Index i = 0; i < values.rows(); ++i)
    std::copy_n(by_distance.data() + values.rows() - 1 - i, values.cols(), values.row(i).data());
  return values;
}

/// index_of(m − n) for every pair. Throws UsageError for a position beyond ±2^53.
template <class IndexOf>
IndexMatrix index_matrix(PositionsIn m, PositionsIn n, const IndexOf& index_of) {
  check_positions(m);
  check_positions(n);
  return matrix_of_distances<Index>(m, n, index_of);
}

/// out(i, j) = table(index(i, j), head): a bias per index and head. table [rows, heads].
template <class T>
Matrix<T> gather_bias(const Matrix<T>& table, const IndexMatrix& index, int head);

/// The rows of a table from the first to the last that are looked up: a table may have 100 times as
/// many as a text has distances.
struct UsedRows {
  Index first{};  ///< of the table
  Index count{};
  IndexMatrix index;  ///< among them
};
UsedRows used_rows(IndexMatrix index);

/// out(i, j) = products(i, index(i, j)): what each query makes of a table's row. products [N_q,
/// rows].
template <class T>
Matrix<T> gather_by_query(const Matrix<T>& products, const IndexMatrix& index);

/// out(i, j) = products(j, index(i, j)): the same for keys. products [N_k, rows].
template <class T>
Matrix<T> gather_by_key(const Matrix<T>& products, const IndexMatrix& index);

// The derivatives of the three, which sum where those look up.

/// sums(index(i, j), head) gains values(i, j).
template <class T>
void add_bias_gradients(const MatrixIn<T>& values, const IndexMatrix& index, int head,
                        Matrix<double>& sums);

/// out(i, index(i, j)) = Σ values(i, j) over the j of equal index. [N_q, rows]
template <class T>
Matrix<T> sums_by_query(const MatrixIn<T>& values, const IndexMatrix& index, Index rows);

/// out(j, index(i, j)) = Σ values(i, j) over the i of equal index. [N_k, rows]
template <class T>
Matrix<T> sums_by_key(const MatrixIn<T>& values, const IndexMatrix& index, Index rows);

/// m − n as a number, with the roundings of a low-precision implementation: of m and n, and of
/// their difference.
double rounded_distance(Position m, Position n, const StageRounding& rounding);
/// bias_of(rounded_distance(m, n, rounding)) for every pair. [N_q, N_k]
template <class T, class BiasOf>
Matrix<T> matrix_of_rounded_distances(PositionsIn m, PositionsIn n, const StageRounding& rounding,
                                      const BiasOf& bias_of) {
  if (rounding.rounds(Stage::position))  // which moves distances apart
    return matrix_of_pairs<T>(m, n, [&](Position query, Position key) {
      return bias_of(rounded_distance(query, key, rounding));
    });
  return matrix_of_distances<T>(
      m, n, [&](Position r) { return bias_of(rounded_distance(r, 0, rounding)); });
}

/// steps·ln(distance/from)/ln(to/from), the place of a distance among buckets that grow
/// logarithmically: 0 at `from`, `steps` at `to`. Stage::log rounds distance/from, its logarithm,
/// the quotient and the product, as tensors of that format would; some distances then fall into a
/// neighbouring bucket. ln(to/from) is a number of the program, not a tensor, and is not rounded.
double log_place(Position distance, double from, double to, double steps,
                 const StageRounding& rounding);

/// Throws UsageError when `head` is not one of `heads`, counted from 0.
void check_head(int head, Index heads);

}  // namespace orrery
