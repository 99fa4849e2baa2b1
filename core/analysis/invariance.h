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

/// Bound of the rounding of a relative encoding's logits under a shift, for both maps together:
/// 2·((d + 10)·u + 12·u_stage)·max‖q‖·max‖k‖/√d, u the unit roundoff of T, u_stage that of the
/// coarsest stage, if any is rounded: a product of d terms, a rotation of each factor (√2 units for
/// cos and sin, √2 for the products, 1 for their sum), and one rounding each of term, scale and
/// logits. Positions and angles must be exact. Source: the standard model of rounding, Higham 2002
/// §3.1, with γ_n ≈ n·u.
template <class T>
double invariance_bound(const Matrix<T>& q, const Matrix<T>& k, const StageRounding& rounding);

/// The bound on what rounding RoPE's angles m·theta, theta ≤ 1, may add to that for positions up to
/// `largest` in each of the two maps: 4·u_angle·largest·max‖q‖·max‖k‖/√d. u_angle is the relative
/// error of an angle: the unit roundoffs of its format and of fp32, in which it is formed, and that
/// of the positions where their format does not hold every whole number up to `largest`. The error
/// of theta itself is the same at m and n and leaves scores a function of m − n. 0 with exact
/// angles.
template <class T>
double angle_rounding_bound(const Matrix<T>& q, const Matrix<T>& k, const StageRounding& rounding,
                            Position largest);

/// Whether the format holds every whole number up to `largest`.
bool holds_whole_numbers(Precision format, Position largest);

/// All positions moved by s. Throws UsageError when one leaves ±2^53.
Positions shifted(PositionsIn positions, Position s);

}  // namespace orrery
