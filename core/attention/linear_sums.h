#pragma once

#include <optional>

#include "core/attention/linear_features.h"
#include "core/attention/softmax_attention.h"

namespace orrery {

struct LinearOptions {
  LinearVariant variant{LinearVariant::paper};
  bool causal{false};   ///< a query sees keys with n ≤ m, by position
  double epsilon{0.0};  ///< added to the normaliser; fast-transformers uses 1e-6
};

template <class T>
struct LinearOutput {
  Matrix<T> output;           ///< [N_q, d_v]
  Matrix<T> normalizers;      ///< [N_q, 1], the denominators
  Matrix<T> numerators;       ///< [N_q, 1], what the numerators' weights sum to: a row of weights
                              ///< sums to numerator/normalizer, which eq. (19) does not make 1
  Index zero_normalizers{0};  ///< queries whose denominator is 0: zero output
};

/// Linear attention, one block of keys at a time in the order of positions. If it is not causal,
/// every query multiplies the sums over all keys. If it is causal, a query multiplies the sums
/// over the blocks before its own, and weighs the keys of its own block. Blocks start at the first
/// key, so that a causal output depends neither on other queries nor on later keys. Products are
/// formed and summed over a block in S, and summed over blocks in fp64.
///
/// @param key_by_key  blocks of one key: no weight is formed, so that no hidden one is 0·NaN, and
///                    none overflows where its value is 0.
///
/// Empty for numbers whose products S might lose. fp32: features or values that are not 0 and not
/// within 2^-32 … 2^30, or 2^-60 … 2^30. fp64: beyond 1e100 or NaN, if causal and not key by key.
template <class T, class S>
std::optional<LinearOutput<T>> linear_attention_in(const AttentionInputs<T>& in,
                                                   const LinearFeatures<T>& features,
                                                   const LinearOptions& options,
                                                   bool key_by_key = false);

}  // namespace orrery
