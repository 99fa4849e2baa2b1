#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "experiments/combine/dimensions.h"
#include "experiments/model/figure.h"

namespace orrery {

/// With more curves or more points than these in a panel, no eye tells them apart: bands are drawn
/// in their place.
inline constexpr std::size_t most_curves = 40, most_points = 2000;

/// With more places along x, neighbours share one.
inline constexpr std::size_t most_places = 100;

/// The numbers at each place along x.
using NumbersOver = std::map<double, std::vector<double>>;

/// Adds their median, in a band from the 25 % to the 75 % quantile; and, as a part of it, the band
/// from the 5 % to the 95 % quantile: in the colours, the dashes and the name of `look`, or as
/// "median" where it has none. Of more than most_places those in a step of equal width along the
/// axis are one, at the mean of its places: with the means of their quantiles, where each has 20
/// numbers or more, and else with the quantiles of all.
void add_bands(const NumbersOver& numbers, const Series& look, LinePlot& plot);

/// ", in 100 steps of dim" where so many places are more than are drawn; else empty.
std::string steps_text(std::size_t places, const std::string& x);

/// The q-quantile of numbers in ascending order, linear between two of them; NaN of none.
double quantile(const std::vector<double>& ascending, double q);

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
