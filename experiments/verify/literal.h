#pragma once

#include <vector>

#include "core/types.h"

namespace orrery::literal {

// The paper's formulas as they are printed, in loops and in long double where it matters: slow,
// plain, and sharing nothing with the core but the matrix type.

using Rows = Matrix<double>;

/// q_m·k_n/scale for every pair.
Rows scores(const Rows& q, const Rows& k, double scale);
/// Eq. (2): row by row exp(logit)/Σ exp(logit).
Rows softmax(const Rows& logits);
/// Σ_n a_mn v_n.
Rows weighted_sum(const Rows& weights, const Rows& v);
/// x W, summed channel by channel.
Rows projected(const Rows& x, const Rows& w);

/// Eq. (15): the block-diagonal R_m as a dense matrix, d even.
Rows rotation(Index d, double base, Position m);
/// Eq. (4): p_{i,2t} = sin(i/base^{2t/d}), p_{i,2t+1} = cos(…).
Rows sinusoids(const Positions& positions, Index d, double base);
/// Transformer-XL's order: all sines, then all cosines.
Rows concatenated_sinusoid(Position distance, Index d, double base);
/// Eq. (34): x ⊗ cos + (−x_2, x_1, −x_4, x_3, …) ⊗ sin; with the misprint of early copies the last
/// two entries of the second vector are (−x_{d−1}, x_d).
Rows elementwise_rotation(const Rows& x, double base, Position m, bool misprinted = false);
/// T5's bucket for key − query, written from the paper's description.
Index t5_bucket(Position key_minus_query);

}  // namespace orrery::literal
