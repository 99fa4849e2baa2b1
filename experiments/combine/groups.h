#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "experiments/combine/dimensions.h"
#include "experiments/combine/quantiles.h"

namespace orrery {

// Which curves and numbers of the points of a sweep become one curve of a panel, and that curve.

/// What has one look in a panel.
struct Group {
  Setting look{};
  std::vector<std::size_t> members{};  ///< places in the list of settings
};

/// The groups of a panel in the order of their hue, then of their first members; those that do not
/// read the hue come last.
/// @param x  setting along the axis: what does not read it is told apart by its encoding; empty
///           where curves have an axis of their own
std::vector<Group> groups_at(const Place& place, const std::vector<Setting>& settings,
                             const Arrangement& arrangement, const std::string& x = {});

/// A mean over repeats, and the band around it.
struct Spread {
  double mean{};
  double low{};
  double high{};
};
/// Of the finite values; NaN without any. The band is NaN for a single value.
Spread spread_of(const std::vector<double>& values, Band band);

/// The means of the numbers at each place along x, in their order; with a band where any has one.
template <class NumbersAtPlaces>
Series mean_over(const NumbersAtPlaces& numbers, Band band) {
  Series series;
  bool any_band = false;
  for (const auto& [x, values] : numbers) {
    const Spread spread = spread_of(values, band);
    series.x.push_back(x);
    series.y.push_back(spread.mean);
    series.band_low.push_back(spread.low);
    series.band_high.push_back(spread.high);
    any_band = any_band || !std::isnan(spread.low);
  }
  if (!any_band) series.band_low = series.band_high = {};
  return series;
}

}  // namespace orrery
