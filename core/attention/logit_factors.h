#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/encoding.h"

namespace orrery {

/// Distances n − m between the queries at m and the keys at n, all consecutive: key minus query, as
/// it grows along a row of the map.
struct Distances {
  Position first{};  ///< of the last query to the first key
  Index count{};     ///< N_q + N_k − 1, or 0
  /// Keys beyond this distance are hidden, so that their factors do not matter.
  Position last_seen{std::numeric_limits<Position>::max()};
};
/// Numbers per distance are computed for so many distances at once.
constexpr Index distances_at_once = 2048;
/// Empty for positions that are not consecutive, for none, and for a position or distance beyond
/// ±2^53.
std::optional<Distances> consecutive_distances(PositionsIn m, PositionsIn n);

/// A vector per distance n − m: row r belongs to first + r. Distances below take the first row, and
/// distances above the last one, so that a clipped table is as long as its clip.
template <class T>
struct DistanceVectors {
  Matrix<T> rows{};  ///< [distances, channels]; empty for no such vectors
  Position first{};

  bool given() const { return rows.size() > 0; }
};

/// row_of(n − m) of `table` for each distance; equal rows at either end become one.
template <class T, class RowOf>
DistanceVectors<T> distance_vectors(const Matrix<T>& table, const Distances& distances,
                                    const RowOf& row_of) {
  std::vector<Index> index(static_cast<std::size_t>(distances.count));
  for (std::size_t i = 0; i < index.size(); ++i)
    index[i] = row_of(distances.first + static_cast<Position>(i));
  std::size_t first = 0, end = index.size();
  while (first + 1 < end && index[first + 1] == index[first]) ++first;
  while (first + 1 < end && index[end - 2] == index[end - 1]) --end;
  DistanceVectors<T> out{Matrix<T>(static_cast<Index>(end - first), table.cols()),
                         distances.first + static_cast<Position>(first)};
  for (std::size_t i = first; i < end; ++i)
    out.rows.row(static_cast<Index>(i - first)) = table.row(index[i]);
  return out;
}

/// Factors of the logits at consecutive positions, r = n − m:
///   l_mn = q_m·k_n + q'_m·a_r + k_n·b_r + c_r.
/// Every scale is in q, q', b and c. A row of each map is a shifted view of numbers per distance.
template <class T>
struct LogitFactors {
  Matrix<T> q;                    ///< [N_q, channels]
  Matrix<T> k{};                  ///< [N_k, channels]; empty for the keys as they are
  Matrix<T> q_of_distance{};      ///< q' [N_q, channels of a]; empty where it is q
  DistanceVectors<T> by_query{};  ///< a
  DistanceVectors<T> by_key{};    ///< b, of as many channels as the keys as they are
  Matrix<T> bias{};               ///< c [1, Distances::count]; empty for none
};

/// q·scale.
template <class T>
Matrix<T> scaled_queries(const MatrixIn<T>& q, double scale) {
  return q * static_cast<T>(scale);
}

/// The factors of terms that are the scaled content and numbers per distance. They are read off the
/// terms themselves, for one query and contents of one channel.
template <class T>
LogitFactors<T> distance_bias_factors(const ScoreTerms<T>& terms, const ScoreInputs<T>& in,
                                      const Distances& distances);

}  // namespace orrery
