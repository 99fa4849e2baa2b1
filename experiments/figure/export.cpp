#include "experiments/figure/export.h"

#include <algorithm>

#include "core/errors.h"
#include "experiments/figure/canvas/cairo_canvas.h"
#include "experiments/figure/canvas/svg_canvas.h"
#include "experiments/figure/equation/strip.h"
#include "experiments/figure/plot/draw_figure.h"

namespace orrery::figure {
namespace {

EquationStrip strip_of(const ExportOptions& options, Size page, const FigureStyle& style) {
  const SvgCanvas measure(page, {});  // text has the same width in every format
  const double width = figure_room({0.0, 0.0, page.width, page.height}, style).width;
  return lay_out_strip(options.formulas, measure, width, style);
}

std::string drawn(const Figure& figure, FigureFormat format, Size page, const FigureStyle& style,
                  const EquationStrip& formulas, const ExportOptions& options) {
  const auto on = [&](auto&& canvas) {
    draw_figure_with(canvas, figure, formulas, page, style, options.view);
    return canvas.finish();
  };
  if (format == FigureFormat::svg)
    return on(SvgCanvas(page, {figure.title, figure.caption, figure.id}));
  return on(CairoCanvas(format, page, options.png_scale));
}

}  // namespace

Size export_size(const Figure& figure) {
  struct Visitor {
    Size operator()(const LinePlot&) const { return {760, 500}; }
    Size operator()(const Heatmap&) const { return {760, 720}; }
    Size operator()(const TableFigure& table) const {
      return {760, 140 + 24 * static_cast<double>(table.rows.size())};
    }
    Size operator()(const VectorPlot&) const { return {700, 640}; }
    Size operator()(const MapEquation& equation) const {
      const double maps = static_cast<double>(equation.terms.size());
      return {std::clamp(130 + 225 * maps, 760.0, 1280.0), maps > 6 ? 1000.0 : 640.0};
    }
  };
  return std::visit(Visitor{}, figure.content);
}

Size export_size(const Panels& panels) {
  if (panels.panels.size() == 1) return export_size(panels.panels.front());
  const bool map = std::holds_alternative<Heatmap>(panels.panels.front().content);
  const double width = 360, height = map ? 330 : 280, around = 110;
  const std::size_t columns = panel_columns(panels.panels.size());
  const std::size_t rows = (panels.panels.size() + columns - 1) / columns;
  const double legend = map ? 0 : 130;
  return {40 + legend + width * static_cast<double>(columns),
          around + height * static_cast<double>(rows)};
}

std::string svg_of(const Figure& figure, Size size, const FigureStyle& style, std::string_view id) {
  SvgCanvas canvas(size, {figure.title, figure.caption, std::string(id)});
  draw_figure(canvas, figure, {0.0, 0.0, size.width, size.height}, style);
  return canvas.finish();
}

std::string render_figure(const Figure& figure, FigureFormat format, Size size,
                          const FigureStyle& style, double png_scale) {
  return drawn(figure, format, size, style, {}, {.png_scale = png_scale});
}

std::string export_figure(const Figure& figure, FigureFormat format, const ExportOptions& options) {
  const FigureStyle style = figure_style(options.theme);
  Size page = export_size(figure);
  const EquationStrip formulas = strip_of(options, page, style);
  page.height += strip_room(formulas, style);
  return drawn(figure, format, page, style, formulas, options);
}

std::string export_figure(const Figure& figure, FigureFormat format, Theme theme,
                          double png_scale) {
  return export_figure(figure, format, {.theme = theme, .png_scale = png_scale});
}

std::string svg_of(const Panels& panels, Size size, const FigureStyle& style, std::string_view id) {
  SvgCanvas canvas(size, {panels.title, panels.caption, std::string(id)});
  draw_panels(canvas, panels, {0.0, 0.0, size.width, size.height}, style);
  return canvas.finish();
}

std::string export_panels(const Panels& panels, FigureFormat format, const ExportOptions& options) {
  const FigureStyle style = figure_style(options.theme);
  const Size page = export_size(panels);
  const auto on = [&](auto&& canvas) {
    draw_panels(canvas, panels, {0.0, 0.0, page.width, page.height}, style, options.view);
    return canvas.finish();
  };
  if (format == FigureFormat::svg)
    return on(SvgCanvas(page, {panels.title, panels.caption, panels.id}));
  return on(CairoCanvas(format, page, options.png_scale));
}

}  // namespace orrery::figure
