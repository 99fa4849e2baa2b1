#pragma once

#include <cstddef>

namespace orrery::kernels {

/// How many neighbouring distances are worked on at once.
inline constexpr std::size_t phasor_lanes = 64;

/// For the distances r0 + l, l = 0 … lanes − 1: sums over pairs t of unit phasors e^{i(r0+l)θ_t},
/// each the product of a seed e^{i r0 θ_t} and a step e^{i l θ_t}, both given exactly rounded: no
/// error builds up with distance. |error| of a phasor ≤ 4·2^-53. seed_cos, seed_sin [pairs];
/// step_cos, step_sin [pairs][phasor_lanes]. abs_sum[l] = Σ_{j=1..pairs} |S_j|, real_sum[l] = Re
/// S_pairs; both [phasor_lanes].
void phasor_sums(std::size_t pairs, const double* seed_cos, const double* seed_sin,
                 const double* step_cos, const double* step_sin, double* abs_sum, double* real_sum);

}  // namespace orrery::kernels
