#pragma once

#include <span>
#include <vector>

#include "core/attention/mask.h"
#include "core/encoding.h"
#include "core/logit_rule.h"
#include "core/types.h"

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

/// logit_factor of every query, [N_q]: counts the keys that the mask shows it where the rule asks
/// for them. Throws UsageError for a length or a strength that is not finite, or a length that is
/// not positive.
std::vector<double> logit_factors_of(const LogitRule& rule, PositionsIn m, const Mask& mask,
                                     Index keys);

/// Row i of every map becomes factors[i] times as large.
template <class T>
void scale_rows(std::span<const double> factors, MatrixOut<T> map);

/// WeightRule::stick_breaking: sets the weights of out.logits, 0 where masked, and counts as
/// masked_softmax does. [N_q, N_k]. Keys at the same position break in the reverse of their order.
/// Computed from logarithms in fp64, so that logits of any size are safe; −inf weighs 0, and a NaN
/// makes its weight and those behind it NaN. Source: Tan et al. 2025 (Scaling Stick-Breaking Attention) §2, ICLR. The paper's query does
/// not see its own key: that is the mask's business.
template <class T>
void stick_breaking(const Mask& mask, PositionsIn n, AttentionOutput<T>& out);

/// l ← c tanh(l/c) for every logit; c = 0 leaves them as they are.
/// Source: Gemma 2 (2024) §2.
template <class T>
void cap_logits(double c, Matrix<T>& logits);

/// d ← d (1 − (l/c)²): ∂loss by logits before cap_logits, from that by those behind it.
///
/// @param capped  l, as cap_logits left them [as d]; not read for c = 0
template <class T>
void pull_cap_back(double c, const Matrix<T>& capped, Matrix<T>& d);

}  // namespace orrery
