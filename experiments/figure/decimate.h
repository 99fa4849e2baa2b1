#pragma once

#include <span>
#include <vector>

#include "experiments/figure/layout.h"

namespace orrery {

using Strip = std::vector<Point>;

/// Whether x runs from left to right, and how far.
CurveOrder order_of(std::span<const double> x);

/// The curve (x, y) as strips of finite points that look the same as all its points would: in each
/// column of pixels the first, lowest, highest and last. Gaps where a value is NaN or has no place
/// on its axis; x need not be sorted. Only what crosses `plot`, with a margin. The number of points
/// is bounded by the plot's size, not by the curve's. Cost: linear, for sorted x about 10 ns a
/// point.
std::vector<Strip> decimated(std::span<const double> x, std::span<const double> y,
                             const AxisMap& x_axis, const AxisMap& y_axis, const Rect& plot);

/// The points themselves, at most one in a square of `cell`; empty when that would be more than
/// `most`.
std::vector<Point> decimated_dots(std::span<const double> x, std::span<const double> y,
                                  const AxisMap& x_axis, const AxisMap& y_axis, const Rect& plot,
                                  double cell, std::size_t most);

/// A band between two curves over the same x, as upper and lower edge from left to right.
struct BandPiece {
  Strip upper{};
  Strip lower{};
};
std::vector<BandPiece> decimated_band(std::span<const double> x, std::span<const double> low,
                                      std::span<const double> high, const AxisMap& x_axis,
                                      const AxisMap& y_axis, const Rect& plot);

/// The parts of a strip within `bounds`; segments are cut at its edges.
std::vector<Strip> clipped(const Strip& strip, const Rect& bounds);

}  // namespace orrery
