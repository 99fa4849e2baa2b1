#pragma once

#include <vector>

#include "core/precision.h"
#include "core/types.h"

namespace orrery {

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
