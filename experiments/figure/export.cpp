#include "experiments/figure/export.h"

#include "core/errors.h"
#include "experiments/figure/layout.h"

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

std::string export_figure(const Figure& figure, FigureFormat format, Theme theme) {
  return render_figure(figure, format, export_size(figure), figure_style(theme));
}

FigureFormat figure_format_named(std::string_view name) {
  for (const FigureFormat format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png})
    if (extension(format) == name) return format;
  throw UsageError(name, "is not a figure format", "take svg, pdf or png");
}

Theme theme_named(std::string_view name) {
  if (name == "dark") return Theme::dark;
  if (name == "light") return Theme::light;
  if (name == "print") return Theme::print;
  throw UsageError(name, "is not a theme", "take light, dark or print");
}

}  // namespace orrery
