#include "experiments/figure/export.h"

#include "core/errors.h"
#include "experiments/figure/cairo_canvas.h"
#include "experiments/figure/layout.h"
#include "experiments/figure/svg_canvas.h"

namespace orrery {

Size export_size(const Figure& figure) {
  struct Visitor {
    Size operator()(const LinePlot&) const { return {760, 500}; }
    Size operator()(const Heatmap&) const { return {760, 720}; }
    Size operator()(const TableFigure& table) const {
      return {760, 140 + 24 * static_cast<double>(table.rows.size())};
    }
    Size operator()(const VectorPlot&) const { return {700, 640}; }
  };
  return std::visit(Visitor{}, figure.content);
}

std::string render_figure(const Figure& figure, FigureFormat format, Size size,
                          const FigureStyle& style, double png_scale) {
  if (format == FigureFormat::svg) return svg_of(figure, size, style, figure.id);
  CairoCanvas canvas(format, size, png_scale);
  draw_figure(canvas, figure, {0.0, 0.0, size.width, size.height}, style);
  return canvas.finish();
}

std::string export_figure(const Figure& figure, FigureFormat format, Theme theme,
                          double png_scale) {
  return render_figure(figure, format, export_size(figure), figure_style(theme), png_scale);
}

Theme theme_named(std::string_view name) {
  if (name == "dark") return Theme::dark;
  if (name == "light") return Theme::light;
  if (name == "print") return Theme::print;
  throw UsageError(name, "is not a theme", "take light, dark or print");
}

}  // namespace orrery
