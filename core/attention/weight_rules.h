#pragma once

#include <vector>

#include "core/attention/softmax_attention.h"

namespace orrery {

/// logit_factor of every query, [N_q]: counts the keys that the mask shows it where the rule asks
/// for them. Throws UsageError for a length or a strength that is not finite, or a length that is
/// not positive.
std::vector<double> logit_factors_of(const LogitRule& rule, PositionsIn m, const Mask& mask,
                                     Index keys);

/// Row i of every map becomes factors[i] times as large.
template <class T>
void scale_rows(const std::vector<double>& factors, MatrixOut<T> map);

/// WeightRule::stick_breaking: the weights of out.logits, with the counts of masked_softmax. Keys
/// at the same position break in the reverse of their order. Computed from logarithms in fp64, so
/// that logits of any size are safe; −inf weighs 0, and a NaN makes its weight and those behind it
/// NaN. Source: Tan et al. 2025 (Scaling Stick-Breaking Attention) §2, ICLR. The paper's query does
/// not see its own key: that is the mask's business.
template <class T>
void stick_breaking(const Mask& mask, PositionsIn n, AttentionOutput<T>& out);

}  // namespace orrery
