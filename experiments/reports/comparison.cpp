#include "experiments/reports/comparison.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

/// An integer in the order of the doubles, the same for −0 and 0.
std::int64_t rank(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

}  // namespace

std::uint64_t ulp_distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<std::uint64_t>::max();
  const std::int64_t x = rank(a), y = rank(b);
  return x < y ? static_cast<std::uint64_t>(y) - static_cast<std::uint64_t>(x)
               : static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y);
}

double relative_difference(double a, double b) {
  if (ulp_distance(a, b) == 0) return 0.0;
  return std::abs(b - a) / std::max(std::abs(a), std::abs(b));
}

std::vector<TextDifference> text_differences(const std::map<std::string, std::string>& a,
                                             const std::map<std::string, std::string>& b) {
  std::map<std::string, TextDifference> all;
  for (const auto& [name, value] : a) all[name].a = value;
  for (const auto& [name, value] : b) all[name].b = value;
  std::vector<TextDifference> found;
  for (const auto& [name, one] : all)
    if (one.a != one.b) found.push_back({name, one.a, one.b});
  return found;
}

void SweepComparison::keep_scalars(const std::string& part) {
  const auto is_other = [&](const auto& one) { return one.find(part) == std::string::npos; };
  std::erase_if(scalars, [&](const ScalarSummary& one) { return is_other(one.scalar); });
  std::erase_if(repeats, [&](const RepeatStatistics& one) { return is_other(one.scalar); });
  for (PointComparison& point : differing)
    std::erase_if(point.result.scalars,
                  [&](const NumberDifference& one) { return is_other(one.name); });
}

bool ResultComparison::same_numbers() const {
  return checks.empty() && data.empty() && only_a.empty() && only_b.empty() &&
         std::all_of(scalars.begin(), scalars.end(),
                     [](const NumberDifference& scalar) { return scalar.same(); });
}

}  // namespace orrery
