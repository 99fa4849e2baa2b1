#pragma once

#include <complex>
#include <span>
#include <vector>

#include "core/encodings/rope.h"
#include "core/types.h"

namespace orrery {

/// The score of eq. (35) link by link: q_mᵀk_n = Re Σ_t h_t e^{i r θ_t} + rest, r = m − n.
struct ScoreChain {
  std::vector<std::complex<double>> links{};  ///< a² h_t e^{i r θ_t}, h_t = q_pair · conj(k_pair)
                                              ///< and a the attention factor; 0 where muted
  double rest{};                              ///< Σ q_c k_c over the channels that are not rotated

  /// Where each link ends when they are laid head to tail from 0. [links]
  std::vector<std::complex<double>> ends() const;
  std::complex<double> end() const;  ///< of the last link and the rest
};

/// Pair t of a vector as x_a + i·x_b, whichever channels the encoding pairs. [theta().size()].
/// Throws UsageError when x has not d_head channels.
std::vector<std::complex<double>> complex_pairs(const Rope<double>& rope,
                                                std::span<const double> x);

/// q, k [d_head] before they are turned. Throws UsageError when they have other lengths.
/// Source: RoFormer eq. (35), with the pairing and the partial rotation of `rope`.
ScoreChain score_chain(const Rope<double>& rope, std::span<const double> q,
                       std::span<const double> k, Position r);

/// Mean and variance of a number over distances.
struct Moments {
  double mean{};
  double variance{};
};

/// Moments of S(m) = Re Σ_t c_t e^{i m θ_t} over the distances m = 0 … W − 1, each as likely. c,
/// theta [pairs], W ≥ 1. In closed form, with G(θ) = Σ_m e^{i m θ} / W = e^{i(W−1)θ/2} sin(Wθ/2) /
/// (W sin(θ/2)):
///   mean = Re Σ_t c_t G(θ_t),
///   E[S²] = ½ Re Σ_{t,u} c_t (c_u G(θ_t + θ_u) + c̄_u G(θ_t − θ_u)).
/// Accuracy: pairs²·W·2^-52 of Σ|c_t|². Cost: pairs² sines. Throws UsageError for lists of
/// different lengths or W < 1.
Moments score_moments(std::span<const std::complex<double>> c, std::span<const double> theta,
                      Position W);
/// The same of several c at the cost of one, to the bit: G is of the frequencies alone.
std::vector<Moments> score_moments(std::span<const std::span<const std::complex<double>>> several,
                                   std::span<const double> theta, Position W);

/// P = ½ erfc(sign(reference)·μ/(σ√2)): how likely a normal number of these moments has another
/// sign than the reference. A query prefers one key to another by S_a(m) − S_b(m) at every distance
/// m of both; this is the share of distances at which it prefers the other one, as far as the
/// difference is normal over distances: semantic reversal, Du et al. 2026, arXiv 2605.15514.
double reversal_probability(const Moments& moments, double reference);

/// E|X| of a normal number of these moments: σ √(2/π) e^{−μ²/2σ²} + μ erf(μ/(σ√2)).
double mean_magnitude(const Moments& moments);

/// Products of the change of a score by one step: the c_t (e^{iθ_t} − 1) of S(m + 1) − S(m).
/// [pairs]. The mean of |S(m + 1) − S(m)| over distances, divided by |c|₂, is the positional
/// sensitivity of arXiv 2609.39929.
std::vector<std::complex<double>> step_products(std::span<const std::complex<double>> c,
                                                std::span<const double> theta);

}  // namespace orrery
