#include "experiments/figure/plot/draw_figure.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/axes.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/figure/plot/legend.h"

namespace orrery {
namespace {

// Lengths in em of the figure's text.
constexpr double formula_scale = 1.15;  ///< size of the formulas; readable at a distance
constexpr double source_gap = 0.7;      ///< between a formula and its source
constexpr double formula_gap = 2.0;     ///< between a source and the next formula
constexpr double line_gap = 0.7;

constexpr double rounding = 1e-9;

/// A formula followed by its source, typeset at one size.
struct SourcedFormula {
  EquationBox box{};
  EquationBox source{};
  double gap{};  ///< between the two
  double width() const { return box.width + gap + source.width; }
  double ascent() const { return std::max(box.ascent, source.ascent); }
  double descent() const { return std::max(box.descent, source.descent); }
};

SourcedFormula set_at(const Formula& equation, const Canvas& canvas, const FigureStyle& style,
                      double scale) {
  SourcedFormula formula{.box = lay_out(parse_equation(equation.tex), canvas,
                                        formula_scale * style.text_size * scale)};
  if (equation.source.empty()) return formula;
  formula.source = lay_out_in_line(read_text(equation.source), canvas, style.small_size * scale);
  formula.gap = source_gap * style.text_size * scale;
  return formula;
}

SourcedFormula set_within(const Formula& equation, const Canvas& canvas, double width,
                          const FigureStyle& style) {
  SourcedFormula formula = set_at(equation, canvas, style, 1.0);
  return formula.width() <= width ? formula
                                  : set_at(equation, canvas, style, width / formula.width());
}

/// Fills rows from left to right and stacks them.
class Rows {
 public:
  Rows(double width, const FigureStyle& style) : width_(width), em_(style.text_size) {}

  void add(SourcedFormula formula) {
    if (!row_.empty() && x_ + formula.width() > width_ * (1 + rounding)) finish_row();
    x_ += formula.width() + formula_gap * em_;
    row_.push_back(std::move(formula));
  }

  EquationStrip finish() {
    finish_row();
    return std::move(strip_);
  }

 private:
  void finish_row() {
    double ascent = 0.0, descent = 0.0, x = 0.0;
    for (const SourcedFormula& formula : row_) {
      ascent = std::max(ascent, formula.ascent());
      descent = std::max(descent, formula.descent());
    }
    if (strip_.height > 0.0) strip_.height += line_gap * em_;
    const double baseline = strip_.height + ascent;
    for (SourcedFormula& formula : row_) {
      const double source_x = x + formula.box.width + formula.gap, next = x + formula.width();
      strip_.parts.push_back({std::move(formula.box), {x, baseline}, false});
      strip_.parts.push_back({std::move(formula.source), {source_x, baseline}, true});
      x = next + formula_gap * em_;
    }
    strip_.height += ascent + descent;
    row_.clear();
    x_ = 0.0;
  }

  double width_;
  double em_;
  double x_{};
  std::vector<SourcedFormula> row_{};
  EquationStrip strip_{};
};

constexpr double max_title_share = 0.2;     ///< largest share of the height for the title
constexpr double max_caption_share = 0.22;  ///< largest share of the height for the caption
constexpr double max_legend_share = 0.25;   ///< largest share of the width for a shared legend
constexpr double least_lines = 8.0;  ///< smallest height with a title and a caption, in lines

constexpr std::size_t any_lines = 1000;

TextStyle title_style(const FigureStyle& style) {
  TextStyle text = label_style(style);
  text.size = style.title_size;
  text.bold = true;
  return text;
}

TextStyle caption_style(const FigureStyle& style) {
  TextStyle text = tick_style(style);
  text.color = style.muted;
  return text;
}

std::size_t lines_within(double height, double line) {
  constexpr double max_lines = 1000.0;  // avoids a division by a line height of 0
  return static_cast<std::size_t>(line > 0.0 ? std::clamp(std::floor(height / line), 0.0, max_lines)
                                             : max_lines);
}

/// Draws lines from `top` down and returns the y below the last.
double draw_lines(PlotContext& context, const std::vector<std::string>& lines, Point top,
                  TextStyle style) {
  const double height = line_height(context.canvas, style);
  for (const std::string& line : lines) {
    if (!line.empty()) draw_rich(context.canvas, top, line, style);
    top.y += height;
  }
  return top.y;
}

/// Draws the title at the top of `room` and removes its height from `room`.
void draw_title(PlotContext& context, std::string_view title, Rect& room) {
  const TextStyle style = title_style(context.style);
  const double line = line_height(context.canvas, style);
  const std::size_t max_lines =
      context.style.whole_title
          ? any_lines
          : std::min<std::size_t>(2, lines_within(max_title_share * room.height, line));
  const auto lines = wrapped(context.canvas, title, style, room.width, max_lines);
  if (lines.empty()) return;
  const double end = draw_lines(context, lines, {room.x, room.y}, style);
  room = shrunk(room, 0.0, end - room.y + gap(context.style), 0.0, 0.0);
}

/// Lines of the caption, limited so that the content keeps most of the room.
std::vector<std::string> wrapped_caption(const PlotContext& context, std::string_view caption,
                                         const Rect& room) {
  const TextStyle style = caption_style(context.style);
  const double line = line_height(context.canvas, style);
  const double spare = (room.height - least_lines * line) / 3.0;
  const std::size_t max_lines =
      context.style.whole_title
          ? any_lines
          : lines_within(std::min(max_caption_share * room.height, spare), line);
  return wrapped(context.canvas, caption, style, room.width, max_lines);
}

double caption_gap(const FigureStyle& style) { return 1.6 * gap(style); }
double above_strip(const FigureStyle& style) { return 0.8 * gap(style); }
double below_strip(const FigureStyle& style) { return 2.0 * gap(style); }

bool is_drawable(const Rect& area) {
  return std::isfinite(area.x) && std::isfinite(area.y) && std::isfinite(area.width) &&
         std::isfinite(area.height) && area.width > 0.0 && area.height > 0.0;
}

/// Draws the formulas at the top of `room` and moves `room` below them. Its height stays: it was
/// computed without the strip.
void draw_formulas(PlotContext& context, const EquationStrip& formulas, Rect& room) {
  draw_strip(context.canvas, formulas, {room.x, room.y + above_strip(context.style)},
             context.style);
  room.y += strip_room(formulas, context.style);
}

/// What stands around the content of a page.
struct PageText {
  std::string_view title;
  std::string_view caption;
  const EquationStrip& formulas;
};

/// Draws a page whose content `draw_inside(room)` draws.
template <class DrawInside>
void draw_page(PlotContext& context, const PageText& text, const Rect& area,
               DrawInside draw_inside) {
  Canvas& canvas = context.canvas;
  const FigureStyle& style = context.style;
  const EquationStrip& formulas = text.formulas;
  canvas.push_clip(area);
  canvas.rect(area, style.background);
  Rect room = figure_room(shrunk(area, 0.0, 0.0, 0.0, strip_room(formulas, style)), style);
  std::vector<std::string> caption;
  if (room.height >= least_lines * style.text_size) {
    caption = wrapped_caption(context, text.caption, room);
    draw_title(context, text.title, room);
  }
  draw_formulas(context, formulas, room);
  const TextStyle small = caption_style(style);
  const double below = static_cast<double>(caption.size()) * line_height(canvas, small);
  if (below > 0.0) room = shrunk(room, 0.0, 0.0, 0.0, below + caption_gap(style));
  context.content_bottom = room.bottom();
  draw_inside(shrunk(room, style.inset_left, 0.0, style.inset_right, 0.0));
  draw_lines(context, caption, {room.x, context.content_bottom + caption_gap(style)}, small);
  canvas.pop_clip();
}

FigureLayout draw_page(Canvas& canvas, const Figure& figure, const EquationStrip& formulas,
                       const Rect& area, const FigureStyle& style, const FigureView& view,
                       HeatmapCache* cache, CurveCache* curves) {
  FigureLayout layout;
  layout.area = area;
  if (!is_drawable(area)) return layout;
  CurveCache own;
  PlotContext context{canvas, style, view, cache, curves ? *curves : own, layout};
  draw_page(context, {figure.title, figure.caption, formulas}, area, [&](const Rect& room) {
    std::visit([&](const auto& content) { draw_content(context, content, room); }, figure.content);
  });
  layout.content_bottom = context.content_bottom;
  return layout;
}

std::vector<std::string> curve_names(const Figure& figure) {
  std::vector<std::string> names;
  if (const auto* plot = std::get_if<LinePlot>(&figure.content))
    for (const Series& series : plot->series) names.push_back(series.name);
  return names;
}

/// The panel as it is drawn: without names of curves where one legend has them.
Figure panel_of(Figure figure, bool with_names, const std::string& title) {
  figure.title = title;
  auto* plot = std::get_if<LinePlot>(&figure.content);
  if (plot && !with_names)
    for (Series& series : plot->series) series.name = series.label = "";
  return figure;
}

/// "(a) Title".
std::string lettered(const std::string& title, std::size_t index) {
  return title.empty() ? panel_letter(index) : panel_letter(index) + " " + title;
}

}  // namespace

EquationStrip lay_out_strip(std::span<const Formula> formulas, const Canvas& canvas, double width,
                            const FigureStyle& style) {
  Rows rows(width, style);
  for (const Formula& equation : formulas) rows.add(set_within(equation, canvas, width, style));
  return rows.finish();
}

void draw_strip(Canvas& canvas, const EquationStrip& strip, Point corner,
                const FigureStyle& style) {
  for (const EquationStrip::Part& part : strip.parts)
    draw_equation(canvas, part.box, {corner.x + part.origin.x, corner.y + part.origin.y},
                  part.is_source ? style.muted : style.text);
}

double title_height(const Canvas& canvas, std::string_view title, double width,
                    const FigureStyle& style) {
  const TextStyle text = title_style(style);
  const auto lines = wrapped(canvas, title, text, width, any_lines);
  return static_cast<double>(lines.size()) * line_height(canvas, text);
}

double caption_height(const Canvas& canvas, std::string_view caption, double width,
                      const FigureStyle& style) {
  const TextStyle text = caption_style(style);
  const auto lines = wrapped(canvas, caption, text, width, any_lines);
  return lines.empty()
             ? 0.0
             : static_cast<double>(lines.size()) * line_height(canvas, text) + caption_gap(style);
}

Rect figure_room(const Rect& area, const FigureStyle& style) {
  const double edge =
      std::min(style.text_size * style.margin, 0.06 * std::min(area.width, area.height));
  return shrunk(area, edge, edge, edge, edge);
}

double strip_room(const EquationStrip& strip, const FigureStyle& style) {
  if (!(strip.height > 0.0)) return 0.0;
  return std::ceil(above_strip(style) + strip.height + below_strip(style));
}

FigureLayout draw_figure(Canvas& canvas, const Figure& figure, const Rect& area,
                         const FigureStyle& style, const FigureView& view, HeatmapCache* cache,
                         CurveCache* curves) {
  return draw_page(canvas, figure, {}, area, style, view, cache, curves);
}

FigureLayout draw_figure_with(Canvas& canvas, const Figure& figure, const EquationStrip& formulas,
                              Size page, const FigureStyle& style, const FigureView& view) {
  return draw_page(canvas, figure, formulas, {0.0, 0.0, page.width, page.height}, style, view,
                   nullptr, nullptr);
}

PanelGrid panel_grid(const Panels& panels, double ems) {
  constexpr std::size_t most = 4;
  constexpr double least_ems = 14;  ///< of a panel
  const std::size_t count = std::max<std::size_t>(panels.panels.size(), 1);
  const auto fitting = static_cast<std::size_t>(std::max(1.0, std::min(ems / least_ems, 100.0)));
  const auto square = static_cast<std::size_t>(std::ceil(std::sqrt(count)));
  PanelGrid grid{.columns = std::min({count <= 3 ? count : std::min(most, square), fitting})};
  const bool narrow = grid.columns == fitting;
  std::size_t column = 0;
  for (const Figure& figure : panels.panels) {
    const bool wide = narrow && std::holds_alternative<MapEquation>(figure.content);
    const std::size_t span = wide ? grid.columns : 1;
    if (column + span > grid.columns || grid.rows == 0) {
      ++grid.rows;
      column = 0;
    }
    grid.places.push_back({grid.rows - 1, column, span});
    column += span;
  }
  return grid;
}

std::string panel_letter(std::size_t index) {
  constexpr std::size_t letters = 26;
  const std::string letter = index < letters
                                 ? std::string(1, static_cast<char>('a' + static_cast<int>(index)))
                                 : std::to_string(index + 1);
  return "(" + letter + ")";
}

void draw_panels(Canvas& canvas, const Panels& panels, const Rect& area, const FigureStyle& style,
                 const FigureView& view) {
  if (!is_drawable(area) || panels.panels.empty()) return;
  const std::vector<std::string> names = curve_names(panels.panels.front());
  const bool alike = std::ranges::all_of(
      panels.panels, [&](const Figure& one) { return curve_names(one) == names; });
  const bool shares_legend = alike && panels.panels.size() > 1;
  FigureLayout layout;
  CurveCache curves;
  PlotContext page{canvas, style, view, nullptr, curves, layout};
  FigureStyle small = style;
  small.title_size = style.text_size;
  draw_page(page, {panels.title, panels.caption, {}}, area, [&](const Rect& whole) {
    const auto* first = std::get_if<LinePlot>(&panels.panels.front().content);
    Rect room = whole;
    if (shares_legend && first) {
      Legend legend =
          make_legend(page, legend_curves(*first), max_legend_share * whole.width, whole.height);
      room = shrunk(whole, 0.0, 0.0, legend.size.width, 0.0);
      legend.corner = {room.right(), whole.y + style.title_size};
      draw_legend(page, legend, false);
    }
    const PanelGrid grid = panel_grid(panels, area.width / style.text_size);
    const double width = room.width / static_cast<double>(grid.columns);
    const double height = room.height / static_cast<double>(grid.rows);
    for (std::size_t i = 0; i < panels.panels.size(); ++i) {
      const Figure& one = panels.panels[i];
      const auto& [row, column, span] = grid.places[i];
      const Rect cell{room.x + width * static_cast<double>(column),
                      room.y + height * static_cast<double>(row), width * static_cast<double>(span),
                      height};
      const bool short_title =
          !style.whole_title || title_height(canvas, lettered(one.title, i), cell.width, small) <=
                                    2.1 * line_height(canvas, title_style(small));
      const std::string title =
          panels.lettered ? lettered(short_title ? one.title : "", i) : one.title;
      draw_figure(canvas, panel_of(one, !shares_legend, title), cell, small, view);
    }
  });
}

}  // namespace orrery
