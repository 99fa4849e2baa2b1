#pragma once

#include "core/attention/head.h"
#include "core/precision.h"
#include "core/types.h"

#include <vector>

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

/// ‖x‖ of each row, summed in fp64 whatever T is. [rows]. A NaN stays in its row.
template <class T>
std::vector<double> row_norms(const Matrix<T>& x);

/// Mean, least and greatest of a number of ratios.
struct RatioSpread {
  double mean{};
  double least{};
  double greatest{};
};

/// ‖after_i‖/‖before_i‖ over all rows i. Throws UsageError when there are no rows or not as many in
/// both. A row of zeros before gives NaN, as does a NaN anywhere.
RatioSpread norm_ratios(const std::vector<double>& before, const std::vector<double>& after);

/// Bound of the rounding of the length of a vector that is rotated pair by pair, relative to
/// it: 8·u + 4·u_stage + d·2^-53, u the unit roundoff of T, u_stage that of the emulated format, if
/// any: cos and sin, three operations a channel, a rounding of each at the stages, and the norm
/// itself.
template <class T>
double rotation_norm_bound(Index d, const StageRounding& rounding);

/// The largest difference of ‖x + p‖² and ‖x‖² + 2 x·p + ‖p‖² over the rows, divided by
/// (‖x‖ + ‖p‖)², in fp64. sum, x, p [N, d]. Rows of zeros count 0. Throws UsageError for shapes
/// that do not fit.
template <class T>
double cosine_law_residual(const Matrix<T>& sum, const Matrix<T>& x, const Matrix<T>& p);

/// Bound of its rounding: 4·u + 4·u_stage + 2 d·2^-53, as above.
template <class T>
double cosine_law_bound(Index d, const StageRounding& rounding);

}  // namespace orrery
