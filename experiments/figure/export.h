#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/equation/catalogue.h"
#include "experiments/figure/figure.h"
#include "experiments/figure/figure_format.h"
#include "experiments/figure/layout.h"
#include "experiments/figure/style.h"

namespace orrery {

/// The size, in points, in which a figure of its kind reads well on a page or a slide.
Size export_size(const Figure& figure);

/// The figure as the bytes of a file; writing them is the caller's business. `size` in points; a
/// PNG has png_scale pixels a point, the others have none. Same figure, style and size: same bytes.
/// Throws as CairoCanvas and SvgCanvas do.
std::string render_figure(const Figure& figure, FigureFormat format, Size size,
                          const FigureStyle& style, double png_scale = 2.0);

/// What a file shows besides the figure itself.
struct ExportOptions {
  Theme theme{Theme::light};
  double png_scale{2.0};
  FigureView view{};
  /// Set as mathematics beneath the title; the picture is as much higher.
  std::vector<SetEquation> formulas{};
};

/// The same at export_size. Throws for formulas as parse_equation does.
std::string export_figure(const Figure& figure, FigureFormat format, const ExportOptions& options);
std::string export_figure(const Figure& figure, FigureFormat format, Theme theme,
                          double png_scale = 2.0);

/// Throws UsageError when there is no such theme.
Theme theme_named(std::string_view name);

}  // namespace orrery
