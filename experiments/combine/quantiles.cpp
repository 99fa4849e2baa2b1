#include "experiments/combine/quantiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace orrery {
namespace {

constexpr double no_quantile = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<double, 5> shown{0.5, 0.25, 0.75, 0.05, 0.95};
using Quantiles = std::array<double, shown.size()>;

/// Numbers of one step, and where it is drawn.
struct Step {
  double at{};  ///< mean of its places
  std::vector<std::vector<double>> places{};
};

Quantiles quantiles_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::sort(values.begin(), values.end());
  Quantiles found{};
  for (std::size_t i = 0; i < shown.size(); ++i) found[i] = quantile(values, shown[i]);
  return found;
}

/// Places with numbers enough have quantiles of their own, and the step has their mean: how the
/// numbers change from place to place does not widen the bands. Others are one sample.
Quantiles quantiles_of(const Step& step) {
  constexpr std::size_t enough = 20;
  const auto has_enough = [](const std::vector<double>& place) { return place.size() >= enough; };
  if (!std::all_of(step.places.begin(), step.places.end(), has_enough)) {
    std::vector<double> all;
    for (const std::vector<double>& place : step.places)
      all.insert(all.end(), place.begin(), place.end());
    return quantiles_of(std::move(all));
  }
  Quantiles mean{};
  for (const std::vector<double>& place : step.places) {
    const Quantiles of_place = quantiles_of(place);
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += of_place[i] / static_cast<double>(step.places.size());
  }
  return mean;
}

double along(double x, AxisScale scale) {
  if (scale == AxisScale::symlog) return std::copysign(std::log1p(std::abs(x)), x);
  return scale == AxisScale::log2 || scale == AxisScale::log10 ? std::log(x) : x;
}

std::vector<Step> steps_of(const NumbersOver& numbers, AxisScale scale) {
  std::vector<Step> steps;
  if (numbers.empty()) return steps;
  const double low = along(numbers.begin()->first, scale),
               high = along(numbers.rbegin()->first, scale);
  const bool joined = numbers.size() > most_places && std::isfinite(high - low) && high > low;
  std::size_t last = 0;
  for (const auto& [x, values] : numbers) {
    const double share = joined ? (along(x, scale) - low) / (high - low) : 0.0;
    const auto step = std::min(static_cast<std::size_t>(share * most_places), most_places - 1);
    if (!joined || steps.empty() || step != last) steps.emplace_back();
    last = step;
    Step& now = steps.back();
    now.places.push_back(values);
    now.at += (x - now.at) / static_cast<double>(now.places.size());
  }
  return steps;
}

}  // namespace

double quantile(const std::vector<double>& ascending, double q) {
  if (ascending.empty()) return no_quantile;
  const double place = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  const double low = ascending[below], high = ascending[above];
  return low == high ? low : std::lerp(low, high, place - static_cast<double>(below));
}

void add_bands(const NumbersOver& numbers, const Series& look, LinePlot& plot) {
  Series median{.name = look.name.empty() ? "median" : look.name,
                .style = look.style,
                .color = look.color,
                .shade = look.shade,
                .label = look.label};
  Series wide = median;
  wide.name += ", 5 % to 95 %";
  wide.part_of = median.name;
  for (const Step& step : steps_of(numbers, plot.x.scale)) {
    const auto [middle, low, high, lowest, highest] = quantiles_of(step);
    median.x.push_back(step.at);
    median.y.push_back(middle);
    median.band_low.push_back(low);
    median.band_high.push_back(high);
    wide.band_low.push_back(lowest);
    wide.band_high.push_back(highest);
  }
  wide.x = median.x;
  wide.y.assign(wide.x.size(), no_quantile);
  plot.series.push_back(std::move(median));
  plot.series.push_back(std::move(wide));
}

std::string steps_text(std::size_t places, const std::string& x) {
  return places > most_places ? fmt::format(", in {} steps of {}", most_places, x) : "";
}

}  // namespace orrery
