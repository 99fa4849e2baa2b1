#pragma once

#include "experiments/figure/curve_cache.h"
#include "experiments/figure/figure.h"
#include "experiments/figure/layout.h"

namespace orrery {

/// A range that an axis of this scale can show: ordered, finite, of some extent, above 0 on a log
/// axis. `data` stands in for what is missing or impossible.
Range usable_range(const Range& wanted, AxisScale scale, const Range& data);

/// The ranges that show every visible curve of the plot, its bands and its rules, on the scales
/// that the view asks for; the figure's own ranges come first.
Range fitted_x(const LinePlot& plot, const FigureView& view, CurveCache& cache);
Range fitted_y(const LinePlot& plot, const FigureView& view, CurveCache& cache);

/// Least and greatest of the finite, unmasked values; {0, 0} when there is none.
Range value_range(const Array& values, const Array* masked);

/// The colour range by the map's meaning: symmetric about 0 when diverging, a full turn when
/// cyclic.
Range color_range(Meaning meaning, const Range& values, const std::optional<Range>& wanted);

}  // namespace orrery
