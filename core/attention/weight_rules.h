#pragma once

#include <span>
#include <vector>

#include "core/attention/mask.h"
#include "core/logit_rule.h"
#include "core/types.h"

namespace orrery {

/// logit_factor of every query, [N_q]: counts the keys that the mask shows it where the rule asks
/// for them. Throws UsageError for a length or a strength that is not finite, or a length that is
/// not positive.
std::vector<double> logit_factors_of(const LogitRule& rule, PositionsIn m, const Mask& mask,
                                     Index keys);

/// Row i of every map becomes factors[i] times as large.
template <class T>
void scale_rows(std::span<const double> factors, MatrixOut<T> map);

/// As AttentionOutput has them.
struct RowCounts {
  Index fully_masked_rows{0};
  Index nan_rows{0};
};

/// WeightRule::stick_breaking: the weights of logits, 0 where masked. [N_q, N_k]. Keys
/// at the same position break in the reverse of their order. Computed from logarithms in fp64, so
/// that logits of any size are safe; −inf weighs 0, and a NaN makes its weight and those behind it
/// NaN. Source: Tan et al. 2025 (Scaling Stick-Breaking Attention) §2, ICLR. The paper's query does
/// not see its own key: that is the mask's business.
template <class T>
RowCounts stick_breaking(const Mask& mask, PositionsIn n, const Matrix<T>& logits,
                         Matrix<T>& weights);

}  // namespace orrery
