#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/types.h"

namespace orrery {

// Long-term decay, RoFormer §3.4.3. With h_t = q_[2t:2t+1] k*_[2t:2t+1] and S_j = Σ_{t<j} e^{i r
// θ_t}, q_mᵀk_n = Re Σ_t h_t e^{i r θ_t}, r = m − n (eq. 35), and by Abel's transformation (36)
// |q_mᵀk_n| ≤ max_t |h_{t+1} − h_t| · Σ_{j=1..d/2} |S_j|, with h_{d/2} = 0 (37).
// It is a bound and no more: the curve is not monotone, and q, k can be chosen to peak anywhere.

/// Both sums over a run of distances.
struct DecayCurve {
  std::vector<double> mean_abs_S;  ///< (1/(d/2)) Σ_j |S_j|: what Fig. 2 plots
  std::vector<double> B;           ///< B_m = Σ_t cos(m θ_t) = Re S_{d/2}
};

/// At the distances first, first + 1, …, count of them. theta [d/2] in rad per token.
/// Accuracy: |error| ≤ d·2^-52 at every distance to 2^53 − count. Cost: count·d/2 square roots, in
/// vectors of neighbouring distances, and d/2·(64 + count/64) sincos.
/// Throws UsageError when theta is empty or count negative.
DecayCurve decay_curve(std::span<const double> theta, Position first, Index count);

/// S_1 … S_{d/2} at distance r: the chain of phasors.
std::vector<std::complex<double>> phasor_chain(std::span<const double> theta, Position r);

/// h_t = (q_2t + i q_{2t+1}) (k_2t − i k_{2t+1}), interleaved pairs. [d/2]. Throws UsageError
/// unless q and k have the same even length.
std::vector<std::complex<double>> pair_products(std::span<const double> q,
                                                std::span<const double> k);

/// q_mᵀk_n by eq. (35): Re Σ_t h_t e^{i r θ_t}.
double complex_score(std::span<const std::complex<double>> h, std::span<const double> theta,
                     Position r);

/// max_t |h_{t+1} − h_t| with h_{d/2} = 0: the first factor of (37).
double largest_step(std::span<const std::complex<double>> h);

/// Index of the first value that is larger than the one before it.
std::optional<std::size_t> first_rise(std::span<const double> values);
/// Index of the first value below zero.
std::optional<std::size_t> first_negative(std::span<const double> values);

/// The first place, between samples by straight line, where a curve over 0, 1, 2, … is at or below
/// `level`. A NaN ends the search. nullopt when it never is.
std::optional<double> first_at_or_below(std::span<const double> curve, double level);

/// The outcome of the search for a setting.
enum class HalfOutcome {
  found,
  never_falls,    ///< above one half at every setting
  falls_earlier,  ///< at or below one half already at the setting that decays most slowly
  undefined,      ///< the curve has no value at some setting before it gets there
};

struct HalfSearch {
  HalfOutcome outcome{};
  double u{};      ///< where, in [0, 1]; for all but `found` where the curve came nearest
  double value{};  ///< of the curve there
};

/// The least u in [0, 1] with value(u) = 1/2, for a curve that decays slowly at u = 0 and fast at
/// u = 1: `steps` samples from 0 until one is at most one half, then bisection to the last
/// bit of u. The first of several solutions, so that the distance is the first to reach one half
/// wherever there is one. Accuracy: |value − 1/2| ≤ |value'|·2^-52 where value is continuous.
/// Cost: at most steps + 60 calls.
HalfSearch search_half(const std::function<double(double)>& value, int steps);

}  // namespace orrery
