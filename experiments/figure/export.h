#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formula.h"
#include "experiments/figure/canvas/cairo_canvas.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/page.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/figure.h"
#include "experiments/model/panels.h"

namespace orrery {

/// Words at a point of a figure, in data coordinates; on a map x is the column and y the row.
struct PlacedNote {
  std::string figure{};  ///< id of its figure
  double x{};
  double y{};
  std::string text{};
};

/// Size in points at which a figure of this kind is readable on a screen.
Size export_size(const Figure& figure);
Size export_size(const Panels& panels);

/// The figure as an SVG file, with the figure's title and caption as the drawing's title and
/// description. All ids in the file start with `id`.
std::string svg_of(const Figure& figure, Theme theme, const Page& page, std::string_view id,
                   const FigureView& view = {}, std::span<const PlacedNote> notes = {});
std::string svg_of(const Panels& panels, Theme theme, const Page& page, std::string_view id);

/// Options of an exported file.
struct ExportOptions {
  Theme theme{Theme::light};
  Page page{};
  /// Pixels per point, of PNG alone; without it 2, and on a page with a width 300 dots an inch.
  std::optional<double> png_scale{};
  FigureView view{};
  /// Typeset beneath the title; the page is taller by their height.
  std::vector<Formula> formulas{};
};

/// The figure on the page as the bytes of a file, which the caller writes; the same figure and
/// options give the same bytes. Throws as cairo_canvas and svg_canvas do, and for formulas as
/// parse_equation does.
std::string export_figure(const Figure& figure, FigureFormat format, const ExportOptions& options);
std::string export_figure(const Figure& figure, FigureFormat format, Theme theme,
                          double png_scale = 2.0);
/// Panels have no formulas.
std::string export_figure(const Panels& panels, FigureFormat format, const ExportOptions& options);

/// The figures on one page, lettered, under a caption of their titles.
Panels lettered_panels(std::string id, std::string title, std::vector<Figure> figures);

// Files by the name of their format: "svg", "pdf", "png", or "tex", a text that includes the
// picture of the same stem in a LaTeX document with its caption.

/// The theme that suits the format: print for PDF and SVG, which papers take, and for a PNG of a
/// page's width, which has 300 dots an inch; light for other PNGs.
inline constexpr std::string_view auto_theme = "auto";

/// The format of a text that includes a picture.
inline constexpr std::string_view latex_format = "tex";

/// Throws UsageError unless both are known.
void check_figure_file(std::string_view format, std::string_view theme);

/// The bytes of the file, in `theme` in place of that of the options. Throws as export_figure does.
std::string figure_file(const Figure& figure, std::string_view format, std::string_view theme,
                        ExportOptions options);
std::string figure_file(const Panels& panels, std::string_view format, std::string_view theme,
                        ExportOptions options);

}  // namespace orrery
