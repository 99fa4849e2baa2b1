#pragma once

#include <complex>
#include <vector>

#include "core/encodings/rope.h"

namespace orrery {

/// One query and two keys, as RoPE's products h_t = q_pair · conj(k_pair), with the scale 1/√d and
/// the attention factor.
struct Preference {
  std::vector<std::complex<double>> first{};       ///< of the key that is like the query [pairs]
  std::vector<std::complex<double>> difference{};  ///< first less second
  double rest{};  ///< the difference over the channels that do not turn
};

/// `draws` of them: the query and the second key normal, the first key relevance·q + √(1 −
/// relevance²) times another normal.
std::vector<Preference> drawn_preferences(const Rope<double>& rope, double relevance,
                                          std::int64_t draws, std::int64_t seed);

/// What is counted over distances 0 … W − 1, means over the draws.
struct LengthRow {
  double W{};
  double reversal{};             ///< by the closed form
  double reversal_counted{};     ///< the share of distances
  double sensitivity{};          ///< by the closed form
  double sensitivity_counted{};  ///< the mean over distances
};

/// Curves by length, and how far closed moments are from the sums, relative to Σ|c|².
struct ReversalCurves {
  std::vector<LengthRow> rows{};
  double largest_moment_error{};  ///< NaN when one is
};

/// At the lengths, ascending and ≥ 1.
ReversalCurves reversal_curves(const Rope<double>& rope, const std::vector<Preference>& preferences,
                               const std::vector<Position>& lengths);

}  // namespace orrery
