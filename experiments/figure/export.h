#pragma once

#include <string>
#include <string_view>

#include "experiments/figure/figure.h"
#include "experiments/figure/figure_format.h"
#include "experiments/figure/style.h"

namespace orrery {

/// The size, in points, in which a figure of its kind reads well on a page or a slide.
Size export_size(const Figure& figure);

/// The figure as the bytes of a file; writing them is the caller's business. `size` in points; a
/// PNG has png_scale pixels a point, the others have none. Same figure, style and size: same bytes.
/// Throws as CairoCanvas and SvgCanvas do.
std::string render_figure(const Figure& figure, FigureFormat format, Size size,
                          const FigureStyle& style, double png_scale = 2.0);

/// The same at export_size.
std::string export_figure(const Figure& figure, FigureFormat format, Theme theme,
                          double png_scale = 2.0);

/// Throws UsageError when there is no such theme.
Theme theme_named(std::string_view name);

}  // namespace orrery
