#pragma once

#include <vector>

#include "core/attention/logit_factors.h"
#include "core/attention/mask.h"
#include "core/encoding.h"

namespace orrery {

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

template <class T>
struct OnlineOutput {
  Matrix<T> output;  ///< [N_q, d_v]
  Index fully_masked_rows{0};
  Index nan_rows{0};
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
  OnlineOutput<T> finish() &&;

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
