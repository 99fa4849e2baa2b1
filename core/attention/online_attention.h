#pragma once

#include "core/attention/logit_factors.h"
#include "core/attention/mask.h"
#include "core/encoding.h"

namespace orrery {

/// What attention_output computes tile by tile.
template <class T>
struct OnlineInputs {
  MatrixIn<T> k;  ///< rounded and transformed, as the queries and v
  MatrixIn<T> v;  ///< finite: hidden keys are multiplied by 0 or left out
  PositionsIn m;
  PositionsIn n;
  LogitFactors<T> factors;
  Position first_distance{};           ///< Distances::first, with anything that is added
  DistanceVectors<T> value_vectors{};  ///< finite, of as many channels as v
  const ValueTerm<T>* value_term{};    ///< in place of value_vectors
};

template <class T>
struct OnlineOutput {
  Matrix<T> output;  ///< [N_q, d_v]
  Index fully_masked_rows{0};
  Index nan_rows{0};
};

/// Softmax attention of logits that are never held as a map: see attention_output. Any number of
/// threads gives the same bits.
template <class T>
OnlineOutput<T> online_attention(const OnlineInputs<T>& in, const Mask& mask, int threads);

}  // namespace orrery
