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

/// [N_q, N_k]
using IndexMatrix = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// An encoding that looks a table up: which row it takes for each pair is worth seeing by itself.
class TableIndex {
 public:
  /// Rows of the table. [N_q, N_k]. Throws UsageError for a position beyond ±2^53.
  virtual IndexMatrix table_index(PositionsIn m, PositionsIn n) const = 0;
  virtual Index table_rows() const = 0;
  /// The distance from which on all keys share a row, behind the query and ahead of it, as the
  /// paper states it; empty where it states none.
  virtual std::optional<Position> stated_reach() const { return std::nullopt; }

 protected:
  ~TableIndex() = default;
};

/// index_of(m, n) for every pair. Throws UsageError for a position beyond ±2^53.
template <class IndexOf>
IndexMatrix index_matrix_of_positions(PositionsIn m, PositionsIn n, const IndexOf& index_of) {
  check_positions(m);
  check_positions(n);
  IndexMatrix index(static_cast<Index>(m.size()), static_cast<Index>(n.size()));
  for (Index i = 0; i < index.rows(); ++i)
    for (Index j = 0; j < index.cols(); ++j)
      index(i, j) = index_of(m[static_cast<std::size_t>(i)], n[static_cast<std::size_t>(j)]);
  return index;
}

/// index_of(r) for every pair. Throws as above.
template <class IndexOf>
IndexMatrix index_matrix(PositionsIn m, PositionsIn n, const IndexOf& index_of) {
  const std::optional<Distances> distances = consecutive_distances(m, n);
  if (!distances)
    return index_matrix_of_positions(m, n, [&](Position query, Position key) {
      return index_of(relative_position(query, key));
    });
  // Once per distance: a row of the matrix is a shifted view of it.
  std::vector<Index> by_distance(static_cast<std::size_t>(distances->count));
  for (std::size_t i = 0; i < by_distance.size(); ++i)
    by_distance[i] = index_of(-(distances->first + static_cast<Position>(i)));
  IndexMatrix index(static_cast<Index>(m.size()), static_cast<Index>(n.size()));
  for (Index i = 0; i < index.rows(); ++i)
    std::copy_n(by_distance.data() + index.rows() - 1 - i, index.cols(), index.row(i).data());
  return index;
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

/// m − n as a number, with the roundings of a low-precision implementation: of m and n, and of
/// their difference.
double rounded_distance(Position m, Position n, const StageRounding& rounding);

/// steps·ln(distance/from)/ln(to/from), the place of a distance among buckets that grow
/// logarithmically: 0 at `from`, `steps` at `to`. Stage::log rounds distance/from, its logarithm,
/// the quotient and the product, as tensors of that format would; some distances then fall into a
/// neighbouring bucket. ln(to/from) is a number of the program, not a tensor, and is not rounded.
double log_place(Position distance, double from, double to, double steps,
                 const StageRounding& rounding);

/// Throws UsageError when `head` is not one of `heads`, counted from 0.
void check_head(int head, Index heads);

}  // namespace orrery
