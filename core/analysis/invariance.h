#pragma once

#include "core/attention/head.h"

namespace orrery {

/// How far the logits of one head move when every position is shifted by the same amount.
struct ShiftError {
  double largest{};  ///< max_ij |logit_ij(m + s, n + s) − logit_ij(m, n)|
  double ulps{};     ///< the same in units in the last place at the largest |logit|
};

/// Compares two logit maps of the same contents. ulps are of `precision`. A NaN anywhere gives NaN.
template <class T>
ShiftError shift_error(const Matrix<T>& reference, const Matrix<T>& shifted, Precision precision);

/// What rounding alone may cost a relative encoding under a shift, for both maps together:
/// 2·((d + 10)·u + 8·u_stage)·max‖q‖·max‖k‖/√d, u the unit roundoff of T, u_stage that of the
/// emulated format, if any: a product of d terms, a rotation of each factor, and one rounding at
/// each stage. Source: the standard model of rounding, Higham 2002 §3.1, with γ_n ≈ n·u.
template <class T>
double invariance_bound(const Matrix<T>& q, const Matrix<T>& k, const StageRounding& rounding);

/// All positions moved by s. Throws UsageError when one leaves ±2^53.
Positions shifted(PositionsIn positions, Position s);

}  // namespace orrery
