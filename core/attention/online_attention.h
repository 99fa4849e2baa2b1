#pragma once

#include "core/attention/mask.h"
#include "core/encoding.h"

namespace orrery {

/// What attention_output computes tile by tile.
template <class T>
struct OnlineInputs {
  MatrixIn<T> q;  ///< rounded and transformed, as k and v
  MatrixIn<T> k;
  MatrixIn<T> v;  ///< finite: hidden keys are multiplied by 0 or left out
  PositionsIn m;
  PositionsIn n;
  T scale;  ///< of the product
  /// Added to the logit of query i and key j: distance_bias[N_q − 1 − i + j]; empty for nothing.
  std::span<const T> distance_bias{};
};

template <class T>
struct OnlineOutput {
  Matrix<T> output;  ///< [N_q, d_v]
  Index fully_masked_rows{0};
  Index nan_rows{0};
};

/// Softmax attention of logits that are never held as a map: see attention_output.
template <class T>
OnlineOutput<T> online_attention(const OnlineInputs<T>& in, const ValueTerm<T>* value_term,
                                 const Mask& mask);

}  // namespace orrery
