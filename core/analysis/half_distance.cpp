#include "core/analysis/half_distance.h"

#include <cmath>

namespace orrery {
namespace {

constexpr double half = 0.5;
constexpr int most_bisections = 60;  // [0, 1] has no more bits

/// value(above) > 1/2 ≥ value(below).
HalfSearch bisect(const std::function<double(double)>& value, double above, double below) {
  HalfSearch best{HalfOutcome::found, below, value(below)};
  for (int i = 0; i < most_bisections; ++i) {
    const double middle = above + half * (below - above);
    if (middle == above || middle == below) break;
    const double v = value(middle);
    if (std::abs(v - half) < std::abs(best.value - half)) best = {HalfOutcome::found, middle, v};
    (v > half ? above : below) = middle;
  }
  return best;
}

}  // namespace

std::optional<double> first_at_or_below(std::span<const double> curve, double level) {
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (std::isnan(curve[i])) return std::nullopt;
    if (curve[i] > level) continue;
    if (i == 0) return 0.0;
    const double step = (curve[i - 1] - level) / (curve[i - 1] - curve[i]);
    return static_cast<double>(i - 1) + step;
  }
  return std::nullopt;
}

HalfSearch search_half(const std::function<double(double)>& value, int steps) {
  HalfSearch lowest{HalfOutcome::never_falls, 0.0, value(0.0)};
  if (std::isnan(lowest.value)) return {HalfOutcome::undefined, 0.0, lowest.value};
  if (lowest.value <= half) return {HalfOutcome::falls_earlier, 0.0, lowest.value};
  double above = 0.0;
  for (int i = 1; i <= steps; ++i) {
    const double u = static_cast<double>(i) / steps;
    const double v = value(u);
    if (std::isnan(v)) return {HalfOutcome::undefined, lowest.u, lowest.value};
    if (v <= half) return bisect(value, above, u);
    if (v < lowest.value) lowest = {HalfOutcome::never_falls, u, v};
    above = u;
  }
  return lowest;
}

}  // namespace orrery
