#pragma once

#include <span>

#include "core/attention/mask.h"
#include "core/types.h"

namespace orrery {

// Products of attention, made of tiles of the map: a block of queries by a block of keys, which
// stays in the caches while it is worked on.

/// Queries and keys of a tile.
inline constexpr Index tile_queries = 48;
inline constexpr Index tile_keys = 512;

/// Queries whose map is 1 MiB in fp32, as much as the caches hold with its terms, one tile at
/// least: so many are worked on at a time where a map is not kept.
Index rows_at_once(Index keys);

/// Rows and columns of a tile, the rows in whole blocks of kernels::tile_rows.
struct TilePart {
  Index row{};
  Index rows{};
  Index column{};
  Index columns{};
};

/// Keys [N_k, d], laid out for products with tiles of queries.
template <class T>
class PackedKeys {
 public:
  explicit PackedKeys(const MatrixIn<T>& keys);

  Index keys() const { return keys_; }
  /// A tile starts at a multiple of this.
  static Index panel();
  /// tile(i, j) = q_i · k_{first + j}, j = 0 … count − 1. q has padded_queries rows, and tile too
  /// and padded_keys(count) columns or more.
  void scores(const Matrix<T>& q, Index first, Index count, Matrix<T>& tile) const {
    scores(q, first, {.rows = q.rows(), .columns = count}, tile);
  }
  /// The same for a part of the tile, whose first column is a multiple of a panel.
  void scores(const Matrix<T>& q, Index first, const TilePart& part, Matrix<T>& tile) const;

 private:
  Index d_;
  Index keys_;
  Matrix<T> packed_;  ///< [panels·d, panel]
};

/// Values [N_k, d_v], as wide as the kernels' vectors: a view of them where they are and a panel holds
/// them, otherwise a copy in panels, as a column of these would have each row in another line of the
/// cache.
template <class T>
class PackedValues {
 public:
  explicit PackedValues(const MatrixIn<T>& values);
  PackedValues(const PackedValues&) = delete;
  PackedValues& operator=(const PackedValues&) = delete;

  /// sum [padded_queries, columns()] = Σ_j weights(i, j) v_{first + j} over `count` keys; with
  /// `add` it gains them.
  void weigh(const Matrix<T>& weights, Index first, Index count, Matrix<T>& sum,
             bool add = false) const {
    weigh(weights, first, {.rows = sum.rows(), .columns = count}, sum, add);
  }
  /// The same for a part of the weights alone.
  void weigh(const Matrix<T>& weights, Index first, const TilePart& part, Matrix<T>& sum,
             bool add) const {
    weigh(&weights(part.row, part.column), weights.outerStride(), first, part, sum, add);
  }
  /// The same with that part of the weights in rows that are `stride` apart.
  void weigh(const T* weights, Index stride, Index first, const TilePart& part, Matrix<T>& sum,
             bool add) const;
  Index columns() const { return columns_; }
  Index channels() const { return channels_; }
  Index rows() const { return rows_; }

 private:
  Index rows_;
  Index channels_;
  Index columns_;
  Matrix<T> packed_;  ///< [panels·rows, panel]; empty for a view
  const T* values_;
  Index stride_;
};

/// Kernels work on whole blocks of rows and whole panels: the sizes are rounded up to those.
Index padded_queries(Index queries);
template <class T>
Index padded_keys(Index keys);

/// Whether no number is NaN or infinite.
template <class T>
bool all_finite(const MatrixIn<T>& x);

/// scale·(a bᵀ), [rows of a, rows of b], each product rounded before it is scaled; as many columns
/// in a as in b. An entry depends on its two rows alone.
template <class T>
Matrix<T> scores_of(const MatrixIn<T>& a, const MatrixIn<T>& b, T scale = T(1));
/// The same with the first `keys` rows of b.
template <class T>
Matrix<T> scores_of(const MatrixIn<T>& a, const PackedKeys<T>& b, Index keys, T scale);

/// Σ_n A_mn v_n, [N_q, d_v]: summed in blocks of tile_keys. Keys that the mask hides from all
/// queries of a tile are left out where all values are finite: 0·NaN is NaN.
template <class T>
Matrix<T> weighted_values(const Matrix<T>& weights, const PackedValues<T>& v, bool finite,
                          const Mask& mask);

/// Keys first … end − 1.
struct KeyRange {
  Index first{};
  Index end{};
};

/// The range from the first to the last of these keys.
KeyRange any_of(std::span<const VisibleKeys> seen);

/// The range of keys outside of which the queries first … first + count − 1 see none.
KeyRange keys_of_any(const Mask& mask, Index first, Index count, Index keys);

}  // namespace orrery
