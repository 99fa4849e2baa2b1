#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

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

}  // namespace orrery
