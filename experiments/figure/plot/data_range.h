#pragma once

#include <optional>
#include <vector>

#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/figure.h"

namespace orrery {

/// A range that an axis of this scale can show: ordered, finite, not empty, and above 0 on a log
/// axis. `data` replaces ends of `wanted` that are missing or impossible.
Range usable_range(const Range& wanted, AxisScale scale, const Range& data);

/// The least and the largest of the values that the scale can show, which may be cached from the
/// previous frame; ordered the wrong way where it shows none.
const Range& extent_of(const std::vector<double>& values, AxisScale scale, CurveCache& cache);

/// Ranges that contain every visible curve of the plot with its bands and reference lines, on the
/// view's scales. A range given by the figure takes precedence.
Range fitted_x(const LinePlot& plot, const FigureView& view, CurveCache& cache);
Range fitted_y(const LinePlot& plot, const FigureView& view, CurveCache& cache);

/// Makes a range hold another one too. Where either is fitted to the data, it stays as it is.
void widen(std::optional<Range>& range, const std::optional<Range>& other);

/// Minimum and maximum of the finite, unmasked values; {0, 0} when there are none.
Range value_range(const Array& values, const Array* masked);

/// Colour range for the map's meaning: symmetric about 0 when diverging, a full turn when cyclic.
Range color_range(Meaning meaning, const Range& values, const std::optional<Range>& wanted);

}  // namespace orrery
