#include "experiments/combine/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::combine {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Numbers of one step, and where it is drawn.
struct Step {
  double at{};  ///< mean of its places
  std::size_t places{};
  std::vector<double> values{};
};

double along(double x, AxisScale scale) {
  return scale == AxisScale::log2 || scale == AxisScale::log10 ? std::log(x) : x;
}

std::vector<Step> steps_of(const NumbersOver& numbers, AxisScale scale) {
  std::vector<Step> steps;
  if (numbers.empty()) return steps;
  const double low = along(numbers.begin()->first, scale),
               high = along(numbers.rbegin()->first, scale);
  const bool joined = numbers.size() > most_places && high > low;
  std::size_t last = 0;
  for (const auto& [x, values] : numbers) {
    const double share = joined ? (along(x, scale) - low) / (high - low) : 0.0;
    const auto step = std::min(static_cast<std::size_t>(share * most_places), most_places - 1);
    if (!joined || steps.empty() || step != last) steps.emplace_back();
    last = step;
    Step& now = steps.back();
    now.at += (x - now.at) / static_cast<double>(++now.places);
    now.values.insert(now.values.end(), values.begin(), values.end());
  }
  return steps;
}

}  // namespace

double quantile(const std::vector<double>& ascending, double q) {
  if (ascending.empty()) return nan;
  const double place = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double low = ascending[below], high = ascending[above];
  return low == high ? low : std::lerp(low, high, place - static_cast<double>(below));
}

std::vector<Series> quantile_bands(const NumbersOver& numbers, AxisScale scale) {
  Series median, wide;
  for (Step& step : steps_of(numbers, scale)) {
    std::vector<double>& values = step.values;
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    std::sort(values.begin(), values.end());
    median.x.push_back(step.at);
    median.y.push_back(quantile(values, 0.5));
    median.band_low.push_back(quantile(values, 0.25));
    median.band_high.push_back(quantile(values, 0.75));
    wide.band_low.push_back(quantile(values, 0.05));
    wide.band_high.push_back(quantile(values, 0.95));
  }
  wide.x = median.x;
  wide.y.assign(wide.x.size(), nan);
  return {std::move(median), std::move(wide)};
}

void name_bands(const Series& look, std::vector<Series>& bands) {
  const std::string name = look.name.empty() ? "median" : look.name;
  for (Series& band : bands) {
    band.name = name;
    band.label = look.label;
    band.style = look.style;
    band.color = look.color;
    band.shade = look.shade;
  }
  bands.back().name = name + ", 5 % to 95 %";
  bands.back().part_of = name;
}

}  // namespace orrery::combine
