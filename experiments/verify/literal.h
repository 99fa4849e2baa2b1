#pragma once

#include <complex>
#include <functional>
#include <utility>
#include <vector>

#include "core/types.h"

namespace orrery::literal {

// Attention as the papers print it, in loops and with sums in long double: slow, plain, and sharing
// nothing with the core but the matrix type. Positions are in literal_positions.h, and what each
// paper makes of them in literal_scores.h.

using Rows = Matrix<double>;
using Real = long double;

/// A b, entry by entry.
Rows product(const Rows& a, const Rows& b);
/// q_m·k_n/scale for every pair.
Rows scores(const Rows& q, const Rows& k, double scale);
/// score(i, j) for every pair.
Rows pairs(Index queries, Index keys, const std::function<Real(Index, Index)>& score);
/// Σ_c a_ic b_jc.
Real dot(const Rows& a, Index i, const Rows& b, Index j);
/// The columns of head h, of `width` each.
Rows head_columns(const Rows& w, Index h, Index width);

/// Whether query i sees key j.
using Visible = std::function<bool(Index, Index)>;
inline bool everything(Index, Index) { return true; }

/// Eq. (2): row by row exp(logit)/Σ exp(logit) over the visible keys; a row that sees none is 0.
Rows softmax(const Rows& logits, const Visible& visible = everything);

/// Eq. (17)–(19): what the numerator and the denominator sum over n, and what follows from them.
struct KernelAttention {
  Rows weights;       ///< above/Σ below
  Rows output;        ///< weights times v
  Rows numerators;    ///< [N_q, 1]: Σ_n above
  Rows denominators;  ///< [N_q, 1]: Σ_n below + epsilon
};
KernelAttention kernel_attention(const Rows& above, const Rows& below, const Rows& v,
                                 const Visible& visible = everything, double epsilon = 0);

/// elu(x) + 1 and max(x, 0) of every entry.
Rows elu_plus_one(const Rows& x);
Rows relu(const Rows& x);
/// FAVOR+: M^(−1/2) exp(w_r·x' − |x'|²/2), x' = x/d^(1/4). w [M, d].
Rows favor(const Rows& x, const Rows& w);
/// Each row less its mean and over its deviation, √(variance + 1e-5).
Rows layer_norm(const Rows& rows, const Rows& gain, const Rows& bias, Real epsilon = 1e-5L);

}  // namespace orrery::literal
