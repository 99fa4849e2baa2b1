#pragma once

#include <vector>

#include "core/encoding.h"

namespace orrery {

/// What softmax attention computes of a head.
template <class T>
struct AttentionOutput {
  std::vector<ScoreTerm<T>> terms;  ///< sum to the logits
  Matrix<T> logits;                 ///< [N_q, N_k], final, also where masked
  Matrix<T> weights;                ///< [N_q, N_k], exactly 0 where masked
  Matrix<T> output;                 ///< [N_q, d_v]
  Matrix<T> other_logits;           ///< [N_q, N_k], of RowReader::other_k
  Index fully_masked_rows{0};       ///< queries that see no key: zero weights, zero output
  Index nan_rows{0};  ///< queries that see a NaN or +inf, or keys with −inf alone: NaN weights
};

}  // namespace orrery
