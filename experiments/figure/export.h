#pragma once

#include <string>
#include <string_view>

#include "experiments/figure/cairo_canvas.h"
#include "experiments/figure/style.h"

namespace orrery {

/// The size, in points, in which a figure of its kind reads well on a page or a slide.
Size export_size(const Figure& figure);

/// The figure as the bytes of a file, at that size and twice as many pixels for a PNG.
std::string export_figure(const Figure& figure, FigureFormat format, Theme theme);

/// Throws UsageError when there is no such format.
FigureFormat figure_format_named(std::string_view extension);
/// Throws UsageError when there is no such theme.
Theme theme_named(std::string_view name);

}  // namespace orrery
