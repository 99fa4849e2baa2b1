#pragma once

#include <complex>
#include <span>
#include <vector>

#include "core/encodings/rope.h"

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

}  // namespace orrery
