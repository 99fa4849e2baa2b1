#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/attention/logit_factors.h"
#include "core/attention/mask.h"
#include "core/attention/tiles.h"
#include "core/attention/weight_rules.h"

namespace orrery {

// The terms of DistanceVectors for a tile of the map. The distance n − m grows by one from cell to
// cell of a row and falls by one from row to row, so that a row of the tile is a shifted view of
// products with the vectors in their order.

/// The rows of DistanceVectors that a tile uses.
class DistanceWindow {
 public:
  /// `corner`: distance of the tile's first query to its first key, minus DistanceVectors::first.
  DistanceWindow(Position corner, Index queries, Index keys, Index rows)
      : corner_(corner), queries_(queries), keys_(keys), rows_(rows) {}

  Index first_row() const { return clamped(corner_ - queries_ + 1); }
  Index last_row() const { return clamped(corner_ + keys_ - 1); }
  Index count() const { return last_row() - first_row() + 1; }
  /// Keys of query i before `begin` take the first row, those from `end` on the last one, and key j
  /// between them row j + shift(i).
  Index begin(Index i) const { return std::clamp<Position>(i - corner_, 0, keys_); }
  Index end(Index i) const { return std::clamp<Position>(i - corner_ + rows_, 0, keys_); }
  Index shift(Index i) const { return corner_ - i; }
  /// Those between them among keys first … last − 1.
  KeyRange between(Index i, Index first, Index last) const {
    const Index from = std::clamp(begin(i), first, last);
    return {from, std::clamp(end(i), from, last)};
  }

 private:
  Index clamped(Position row) const { return std::clamp<Position>(row, 0, rows_ - 1); }

  Position corner_;
  Index queries_;
  Index keys_;
  Index rows_;
};

/// q_m·a_r for the queries of a tile.
template <class T>
class QueryTerms {
 public:
  /// `packed` has the rows of `vectors`; both outlive it.
  QueryTerms(const DistanceVectors<T>& vectors, const PackedKeys<T>& packed);

  /// Products for the tile of q [padded_queries, channels] whose first cell has the distance
  /// `corner`. `ends`: how many keys each query needs.
  void see(const Matrix<T>& q, Position corner, std::span<const Index> ends);
  /// logits += q_m·a_r + Σ rows for keys first … end − 1 of query i; returns the largest of them.
  /// `rows`, two at most, point to the tile's first key, as logits do.
  T add(Index i, Index first, Index end, std::span<const T* const> rows, T* logits) const;

 private:
  const DistanceVectors<T>& vectors_;
  const PackedKeys<T>& packed_;
  Matrix<T> products_;
  Index base_{0};  ///< row of the vectors in column 0 of products_
  DistanceWindow window_{0, 0, 0, 1};
};

/// k_n·b_r: vectors that several tiles share.
template <class T>
class KeyVectors {
 public:
  KeyVectors(const MatrixIn<T>& k, const DistanceVectors<T>& vectors);

 private:
  template <class>
  friend class KeyTerms;

  const DistanceVectors<T>& vectors_;
  Matrix<T> k_;      ///< with rows of zeros behind it, for whole blocks of rows
  Matrix<T> wide_;   ///< vectors as columns, m − n ascending, the outermost repeated
  Matrix<T> edges_;  ///< [2, N_k]: products with the first and the last vector
};

/// k_n·b_r for the keys of a tile.
template <class T>
class KeyTerms {
 public:
  explicit KeyTerms(const KeyVectors<T>& of);

  void see(Index first_key, Position corner, Index queries, Index keys);
  /// Terms of query i, from the tile's first key on.
  const T* row(Index i) const { return edge_ ? edge_ : terms_.row(i).data(); }

 private:
  void multiply(Index first_key, Position corner, Index keys);

  const KeyVectors<T>& of_;
  Matrix<T> by_key_;  ///< [keys, queries], before its transposition
  Matrix<T> terms_;   ///< [queries, keys]
  const T* edge_{nullptr};
};

/// Σ_n A_mn w_r.
template <class T>
class ValueTerms {
 public:
  explicit ValueTerms(const DistanceVectors<T>& vectors);

  void see(Position corner, Index queries, Index keys);
  /// Logits of keys first … end − 1 of query i become exp(x − shift); returns their sum.
  double weigh(Index i, Index first, Index end, T shift, T* logits);
  /// sum [padded_queries, PackedValues::columns] gains what the weights of the tile make of w.
  void add(Matrix<T>& sum) const;

 private:
  const DistanceVectors<T>& vectors_;
  PackedValues<T> packed_;
  Matrix<T> by_row_;  ///< weights by row of the vectors, from first_row() on
  DistanceWindow window_{0, 0, 0, 1};
};

/// Consecutive queries and keys of attention_output that are worked on at once.
template <class T>
struct OnlinePart {
  MatrixIn<T> k;  ///< rounded and transformed, as the queries and v
  MatrixIn<T> v;  ///< finite: hidden keys are multiplied by 0 or left out
  PositionsIn m;
  PositionsIn n;
  LogitFactors<T> factors;
  Position first_distance{};           ///< Distances::first, with anything that is added
  DistanceVectors<T> value_vectors{};  ///< finite, of as many channels as v
  const ValueTerm<T>* value_term{};    ///< in place of value_vectors
  Index first_query{};                 ///< a multiple of tile_queries
  Index first_key{};                   ///< a multiple of tile_keys
};

/// Softmax attention of logits that are never held as a map: see attention_output. Any number of
/// threads gives the same bits. `mask` outlives it.
template <class T>
class OnlineAttention {
 public:
  OnlineAttention(Index queries, Index keys, Index channels, const Mask& mask, int threads);

  /// The parts of a query come in the order of their keys, first of all the part with key 0. One
  /// in which the mask hides every key from every query may be left out.
  void see(const OnlinePart<T>& part);
  /// Neither terms nor a map.
  AttentionOutput<T> finish() &&;

 private:
  template <class>
  friend class QueryBlock;

  Index keys_;
  const Mask& mask_;
  int threads_;
  // Running sums of each query over the keys so far.
  Matrix<T> output_;          ///< before it is divided by weight_
  std::vector<T> largest_{};  ///< logit
  std::vector<double> weight_{};
};

}  // namespace orrery
