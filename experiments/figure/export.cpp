#include "experiments/figure/export.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "experiments/figure/canvas/cairo_canvas.h"
#include "experiments/figure/canvas/svg_canvas.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/draw_figure.h"
#include "experiments/model/notices.h"

namespace orrery {
namespace {

constexpr double screen_text = 13.0;    ///< of themes, in points
constexpr double page_margin = 0.25;    ///< of a page with a width, in text sizes
constexpr double printed_dots = 300.0;  ///< an inch, of a PNG for print

FigureStyle style_of(Theme theme, const Page& page) {
  if (!page.width) return figure_style(theme);
  FigureStyle style = figure_style(theme, page.text_size / screen_text);
  style.margin = page_margin;
  style.names_at_lines = true;
  style.whole_title = true;
  return style;
}

Size equation_size(const MapEquation& equation) {
  const double maps = static_cast<double>(equation.terms.size());
  return {std::clamp(130 + 225 * maps, 760.0, 1280.0), maps > 6 ? 1000.0 : 640.0};
}

/// Height over width of what a figure shows, without title and caption.
double proportion_of(const Figure& figure) {
  struct Visitor {
    double operator()(const LinePlot&) const { return 0.64; }
    double operator()(const Heatmap& map) const {
      const bool square = map.values->shape.at(0) == map.values->shape.at(1);
      return square ? 0.84 : 0.64;
    }
    double operator()(const TableFigure& table) const {
      return 0.06 * (2 + static_cast<double>(table.rows.size()));
    }
    double operator()(const VectorPlot&) const { return 0.84; }
    double operator()(const MapEquation& equation) const {
      const Size size = equation_size(equation);
      return size.height / size.width;
    }
  };
  return std::visit(Visitor{}, figure.content);
}

/// The height of what is shown at this width without title and caption: of a table what its text
/// takes, and of curves more where a legend stands below them.
double content_height(const Figure& figure, double width, const FigureStyle& style) {
  const bool table = std::holds_alternative<TableFigure>(figure.content);
  constexpr double ample = 36.0 * 7200.0;
  const double height = table ? ample : width * proportion_of(figure);
  Figure shown = figure;
  shown.title.clear();
  shown.caption.clear();
  const std::unique_ptr<FileCanvas> measure = svg_canvas({width, height}, {});
  const FigureLayout layout = draw_figure(*measure, shown, {0.0, 0.0, width, height}, style);
  return table ? layout.content_bottom + style.text_size : height + layout.legend_below;
}
/// Rows as high as the highest panel with its title.
double content_height(const Panels& panels, double width, const FigureStyle& style) {
  constexpr double with_title = 0.14;
  const PanelGrid grid = panel_grid(panels, width / style.text_size);
  const double cell = width / static_cast<double>(grid.columns);
  double highest = 0.0;
  for (std::size_t i = 0; i < panels.panels.size(); ++i)
    highest = std::max(highest, cell * (proportion_of(panels.panels[i]) *
                                            static_cast<double>(grid.places[i].span) +
                                        with_title));
  return highest * static_cast<double>(grid.rows);
}

/// What stands below the drawing of a page with a width.
template <class Drawing>
std::string caption_on(const Drawing& drawing, const Page& page) {
  return page.has_caption() ? drawing.caption : notices_in(drawing.caption);
}
/// Letters on panels need the titles that they stand for.
std::string caption_on(const Panels& panels, const Page& page) {
  return page.caption.value_or(panels.lettered || !page.width) ? panels.caption
                                                               : notices_in(panels.caption);
}

/// The size of the page, with room for the text that is shown.
template <class Drawing>
Size page_size(const Drawing& drawing, const Page& page, const FigureStyle& style) {
  if (!page.width) return export_size(drawing);
  if (page.height) return {*page.width, *page.height};
  const auto measure =
      svg_canvas({*page.width, *page.width}, {});  // text is as wide in all formats
  const double title =
      page.has_title() ? title_height(*measure, drawing.title, *page.width, style) : 0.0;
  const double below = caption_height(*measure, caption_on(drawing, page), *page.width, style);
  return {*page.width, content_height(drawing, *page.width, style) + title + below};
}

/// Draws with what the page shows of title and caption, of which the notices always stay.
template <class Drawing, class Draw>
void draw_on_page(const Drawing& drawing, const Page& page, Draw draw) {
  if (page.has_title() && page.has_caption()) return draw(drawing);
  Drawing shown = drawing;
  if (!page.has_title()) shown.title.clear();
  shown.caption = caption_on(drawing, page);
  draw(shown);
}

template <class Drawing>
SvgMetadata metadata_of(const Drawing& drawing, std::string_view id) {
  return {plain_text(drawing.title), plain_text(drawing.caption), std::string(id)};
}

/// The bytes of a file of this size, on whose canvas `draw(canvas)` draws.
template <class Drawing, class Draw>
std::string file_bytes(const Drawing& drawing, FigureFormat format, Size size, double png_scale,
                       Draw draw) {
  const auto canvas = format == FigureFormat::svg
                          ? svg_canvas(size, metadata_of(drawing, drawing.id))
                          : cairo_canvas(format, size, png_scale);
  draw(*canvas);
  return canvas->finish();
}

double png_scale_of(const ExportOptions& options) {
  constexpr double on_screen = 2.0;
  if (options.png_scale) return *options.png_scale;
  return options.page.width ? printed_dots / points_per_inch : on_screen;
}

Theme theme_for(std::string_view name, std::string_view format, const Page& page) {
  if (name != auto_theme) return theme_named(name);
  return format == "png" && !page.width ? Theme::light : Theme::print;
}

EquationStrip strip_of(const ExportOptions& options, Size page, const FigureStyle& style) {
  const auto measure = svg_canvas(page, {});  // text has the same width in every format
  const double width = figure_room({0.0, 0.0, page.width, page.height}, style).width;
  return lay_out_strip(options.formulas, *measure, width, style);
}

/// The SVG on which `draw(canvas, shown, area, style)` draws.
template <class Drawing, class Draw>
std::string svg_with(const Drawing& drawing, Theme theme, const Page& page, std::string_view id,
                     Draw draw) {
  const FigureStyle style = style_of(theme, page);
  const Size size = page_size(drawing, page, style);
  const auto canvas = svg_canvas(size, metadata_of(drawing, id));
  draw_on_page(drawing, page, [&](const Drawing& shown) {
    draw(*canvas, shown, Rect{0.0, 0.0, size.width, size.height}, style);
  });
  return canvas->finish();
}

template <class Drawing>
std::string file_of(const Drawing& drawing, std::string_view format, std::string_view theme,
                    ExportOptions options) {
  if (format == latex_format)
    return latex_figure(drawing.title, drawing.caption, drawing.id, options.page);
  options.theme = theme_for(theme, format, options.page);
  return export_figure(drawing, figure_format_named(format), options);
}

void draw_note(Canvas& canvas, const PlacedNote& note, const FigureLayout& layout,
               const FigureStyle& style) {
  const Point at{layout.x.to_canvas(note.x), layout.y.to_canvas(note.y)};
  if (!std::isfinite(at.x) || !std::isfinite(at.y) || !layout.plot.contains(at)) return;
  const double r = 0.22 * style.text_size;
  const std::array<Point, 4> dot{Point{at.x - r, at.y}, Point{at.x, at.y - r},
                                 Point{at.x + r, at.y}, Point{at.x, at.y + r}};
  canvas.fill(dot, style.accent);
  TextStyle text{.size = style.small_size, .color = style.text};
  text.vertical = VerticalAlign::bottom;
  const double width = rich_size(canvas, note.text, text).width;
  const bool right = at.x + 2 * r + width > layout.plot.right();
  text.horizontal = right ? HorizontalAlign::right : HorizontalAlign::left;
  draw_rich(canvas, {at.x + (right ? -2 * r : 2 * r), at.y - r}, note.text, text);
}

/// A dot at the place of each note and the words beside it.
void draw_notes(Canvas& canvas, std::span<const PlacedNote> notes, const FigureLayout& layout,
                const FigureStyle& style) {
  for (const PlacedNote& note : notes) draw_note(canvas, note, layout, style);
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
    Size operator()(const MapEquation& equation) const { return equation_size(equation); }
  };
  return std::visit(Visitor{}, figure.content);
}

Size export_size(const Panels& panels) {
  if (panels.panels.size() == 1) return export_size(panels.panels.front());
  const bool map = std::holds_alternative<Heatmap>(panels.panels.front().content);
  const double width = 360, height = map ? 330 : 280, around = 110;
  const PanelGrid grid = panel_grid(panels, 1e9);
  const double legend = map ? 0 : 130;
  return {40 + legend + width * static_cast<double>(grid.columns),
          around + height * static_cast<double>(grid.rows)};
}

std::string svg_of(const Figure& figure, Theme theme, const Page& page, std::string_view id,
                   const FigureView& view, std::span<const PlacedNote> notes) {
  return svg_with(figure, theme, page, id,
                  [&](Canvas& canvas, const Figure& shown, Rect area, const FigureStyle& style) {
                    draw_notes(canvas, notes, draw_figure(canvas, shown, area, style, view), style);
                  });
}

std::string svg_of(const Panels& panels, Theme theme, const Page& page, std::string_view id) {
  return svg_with(panels, theme, page, id,
                  [](Canvas& canvas, const Panels& shown, Rect area, const FigureStyle& style) {
                    draw_panels(canvas, shown, area, style);
                  });
}

std::string export_figure(const Figure& figure, FigureFormat format, const ExportOptions& options) {
  const FigureStyle style = style_of(options.theme, options.page);
  Size page = page_size(figure, options.page, style);
  const EquationStrip formulas = strip_of(options, page, style);
  page.height += strip_room(formulas, style);
  return file_bytes(figure, format, page, png_scale_of(options), [&](Canvas& canvas) {
    draw_on_page(figure, options.page, [&](const Figure& shown) {
      draw_figure_with(canvas, shown, formulas, page, style, options.view);
    });
  });
}

std::string export_figure(const Figure& figure, FigureFormat format, Theme theme,
                          double png_scale) {
  return export_figure(figure, format, {.theme = theme, .png_scale = png_scale});
}

std::string export_figure(const Panels& panels, FigureFormat format, const ExportOptions& options) {
  const FigureStyle style = style_of(options.theme, options.page);
  const Size page = page_size(panels, options.page, style);
  return file_bytes(panels, format, page, png_scale_of(options), [&](Canvas& canvas) {
    draw_on_page(panels, options.page, [&](const Panels& shown) {
      draw_panels(canvas, shown, {0.0, 0.0, page.width, page.height}, style, options.view);
    });
  });
}

Panels lettered_panels(std::string id, std::string title, std::vector<Figure> figures) {
  Panels panels{.id = std::move(id), .title = std::move(title), .lettered = true};
  std::string notices;
  for (Figure& figure : figures) {
    const std::string letter = panel_letter(panels.panels.size());
    panels.caption += (panels.caption.empty() ? "" : " ") + letter + " " + figure.title + ".";
    // Once for all panels, which are too small for captions of their own.
    const std::string own = notices_in(figure.caption);
    if (notices.find(own) == std::string::npos) notices += " · " + own;
    figure.caption.clear();
    panels.panels.push_back(std::move(figure));
  }
  panels.caption += notices;
  return panels;
}

void check_figure_file(std::string_view format, std::string_view theme) {
  theme_for(theme, format, {});
  if (format != latex_format) figure_format_named(format);
}

std::string figure_file(const Figure& figure, std::string_view format, std::string_view theme,
                        ExportOptions options) {
  return file_of(figure, format, theme, std::move(options));
}

std::string figure_file(const Panels& panels, std::string_view format, std::string_view theme,
                        ExportOptions options) {
  return file_of(panels, format, theme, std::move(options));
}

}  // namespace orrery
