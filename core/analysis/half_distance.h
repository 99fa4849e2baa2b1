#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orrery {

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
