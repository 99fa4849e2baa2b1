#pragma once

#include <vector>

#include "core/attention/mask.h"

namespace orrery {

/// How much of what varies in the logits one of their terms explains.
struct TermShare {
  double variance{};       ///< of the term over the cells that the mask allows
  double share{};          ///< cov(term, logits)/var(logits); the shares of all terms add up to 1
  double share_in_rows{};  ///< the same less each row's mean, which softmax ignores
  double largest{};        ///< max |term|
};

/// One a term, in their order; logits are the sum of the terms. A share may be negative: such a
/// term works against the others. Shares are NaN where the logits do not vary. Sums in fp64. terms
/// [N_q, N_k] each. Throws UsageError when there are none or their shapes differ.
template <class T>
std::vector<TermShare> term_shares(const std::vector<Matrix<T>>& terms, const Mask& mask = {});

}  // namespace orrery
