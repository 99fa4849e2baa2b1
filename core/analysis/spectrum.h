#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/types.h"

namespace orrery {

// How fast the pairs rotate. A pair of frequency theta_t has the period λ_t = 2π/θ_t tokens. One
// with λ_t above the context never does: two positions of the context never look alike to it, and
// the angles beyond were not seen in training.

/// λ_t = 2π/θ_t, in tokens; +inf where theta_t = 0, for such a pair does not rotate.
/// [theta.size()].
std::vector<double> wavelengths(std::span<const double> theta);

/// How many pairs complete less than one rotation within `context` tokens: λ_t > context.
Index pairs_beyond(std::span<const double> theta, double context);

/// theta/factor: linear position interpolation, the same as positions m/factor.
/// Throws UsageError unless factor is finite and positive. Source: Chen et al. 2023 §3.2.
std::vector<double> interpolated(std::span<const double> theta, double factor);

/// The base whose longest wavelength 2π·base^((d−2)/d) is `context`: (L/2π)^(d/(d−2)). Nothing when
/// d < 4, whose only pair has λ = 2π, and when L ≤ 2π, which every base covers.
std::optional<double> base_reaching(Index d, double context);

}  // namespace orrery
