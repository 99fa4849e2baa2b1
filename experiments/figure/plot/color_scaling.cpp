#include "experiments/figure/plot/color_scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace orrery {
namespace {

constexpr double most_decades = 6.0;  ///< weights below a millionth of the largest look alike

bool counts(const Heatmap& map, std::size_t i) {
  const bool masked = map.masked && (*map.masked)[i] != 0.0;
  return !masked && std::isfinite((*map.values)[i]);
}

/// The finite, unmasked numbers in ascending order.
std::vector<double> sorted_values(const Heatmap& map) {
  std::vector<double> values;
  for (std::size_t i = 0; i < map.values->size(); ++i)
    if (counts(map, i)) values.push_back((*map.values)[i]);
  std::sort(values.begin(), values.end());
  return values;
}

double log_place(double value) {
  if (std::isnan(value)) return value;
  return value > 0.0 ? std::log10(value) : -std::numeric_limits<double>::infinity();
}

double rank_place(const std::vector<double>& sorted, double value) {
  if (std::isnan(value)) return value;
  if (sorted.size() < 2) return 0.5;
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
  const auto below = static_cast<double>(first - sorted.begin());
  const auto upto = static_cast<double>(last - sorted.begin());
  const double place = (0.5 * (below + upto) - 0.5) / static_cast<double>(sorted.size() - 1);
  return std::clamp(place, 0.0, 1.0);
}

double quantile_of(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(
      std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

ScaledColors quantile_colors(const Heatmap& map) {
  const std::vector<double> sorted = sorted_values(map);
  ScaledColors colors{.places = {0.0, 1.0}, .bar = {0.0, 1.0}};
  if (sorted.empty()) return colors;
  for (const double share : {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0})
    colors.ticks.emplace_back(share, fmt::format("{:.3g}", quantile_of(sorted, share)));
  return colors;
}

ScaledColors log_colors(const Heatmap& map, const std::optional<Range>& wanted) {
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  for (std::size_t i = 0; i < map.values->size(); ++i) {
    const double value = (*map.values)[i];
    if (!counts(map, i) || !(value > 0.0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (wanted && wanted->max > 0.0) high = wanted->max;
  if (!(high > 0.0)) high = 1.0;
  low = std::clamp(low, high * std::pow(10.0, -most_decades), high / 10.0);
  if (wanted && wanted->min > 0.0 && wanted->min < high) low = wanted->min;
  return {
      .places = {std::log10(low), std::log10(high)}, .bar = {low, high}, .scale = AxisScale::log10};
}

}  // namespace

std::shared_ptr<const Array> scaled_values(const Heatmap& map) {
  Array scaled{.name = map.values->name, .shape = map.values->shape};
  std::vector<double> places(map.values->size());
  const std::vector<double> sorted =
      map.colors == ColorScaling::quantile ? sorted_values(map) : std::vector<double>{};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double value = (*map.values)[i];
    places[i] = map.colors == ColorScaling::quantile ? rank_place(sorted, value) : log_place(value);
  }
  scaled.values = std::move(places);
  return std::make_shared<const Array>(std::move(scaled));
}

ScaledColors scaled_colors(const Heatmap& map, const std::optional<Range>& wanted) {
  return map.colors == ColorScaling::quantile ? quantile_colors(map) : log_colors(map, wanted);
}

}  // namespace orrery
