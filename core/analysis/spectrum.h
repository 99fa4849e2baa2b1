#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/encoding.h"
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

/// Neighbouring pairs, and the logits that they alone would give.
template <class T>
struct RopeBand {
  std::size_t first{};  ///< pair
  std::size_t last{};   ///< pair, included
  Matrix<T> logits{};   ///< [N_q, N_k], over √d of the whole head
};

/// RoPE's logits split by frequency: eq. (35) summed over `bands` runs of neighbouring pairs, as
/// even as they come, the fastest first. Together with `rest`, that of the channels that are not
/// rotated, they add up to the logits.
template <class T>
struct RopeDecomposition {
  std::vector<RopeBand<T>> bands{};
  Matrix<T> rest{};  ///< empty when every channel is rotated
};

/// q [N_q, d], k [N_k, d] before `rotation`, whose pairs are `pairs`, channels included; there are
/// at most as many bands as pairs. Throws UsageError as the rotation does, and for fewer than one
/// band. Cost: bands·N_q·N_k·d.
template <class T>
RopeDecomposition<T> rope_decomposition(const QkTransform<T>& rotation, const TurningPairs& pairs,
                                        const MatrixIn<T>& q, const MatrixIn<T>& k, PositionsIn m,
                                        PositionsIn n, int bands);

/// The same of q and k that are turned already. scoring.scale takes the place of 1/√d.
template <class T>
RopeDecomposition<T> decomposition_of_turned(const TurningPairs& pairs, const MatrixIn<T>& q,
                                             const MatrixIn<T>& k, int bands,
                                             const Scoring& scoring = {});

}  // namespace orrery
