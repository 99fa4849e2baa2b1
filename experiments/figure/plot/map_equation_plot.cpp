#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/axes.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/figure/plot/decimate.h"
#include "experiments/figure/plot/heatmap_plot.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/figure/plot/map_equation_layout.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double most_overhang = 1.8;   ///< of what stands above a map, in em: less than the gap
constexpr double least_overhung = 4.0;  ///< side of a map, in em: a smaller one is not overhung

std::string factor_text(double factor) {
  return factor == 1.0 ? std::string() : "×" + short_label(factor);
}

/// To two significant digits.
std::string rounded_label(double value) {
  if (!(value > 0.0)) return short_label(value);
  const double exponent = std::floor(std::log10(value));
  const double step = std::pow(10.0, exponent - 1.0);
  const double rounded = std::round(value / step) * step;
  const bool plain = exponent >= -4.0 && exponent <= 1.0;
  return plain ? decimal_label(rounded, static_cast<int>(1.0 - exponent)) : short_label(rounded);
}

/// "spread 3.1", or "relative" where there is none.
std::string verdict_of(const MapTerm& term) {
  if (term.is_relative()) return "relative";
  if (!std::isfinite(term.spread)) return {};
  return "spread " + rounded_label(term.spread);
}

/// "3 to 17": which cells of a zoomed map are visible, since it has no ticks; empty when all are.
std::string shown_part(const std::optional<Range>& view) {
  if (!view) return {};
  const double first = std::floor(view->min + 0.5), last = std::ceil(view->max - 0.5);
  return short_label(first) + " to " + short_label(last);
}

/// A range as a map or profile with this factor has it.
Range divided(const Range& range, double factor) {
  return {range.min / factor, range.max / factor};
}

/// Whether every map has its numbers and its profile.
bool is_complete(const MapEquation& equation) {
  return !equation.terms.empty() && equation.profiles.series.size() == equation.terms.size() &&
         std::ranges::all_of(equation.terms,
                             [](const MapTerm& term) { return term.map.values != nullptr; });
}

class EquationDrawing {
 public:
  EquationDrawing(PlotContext& context, const MapEquation& equation, const Rect& room)
      : context_(context),
        equation_(equation),
        layout_(lay_out_equation(context, equation, room)) {}

  void draw() {
    if (layout_.cells.empty() || layout_.cells.front().map.width <= 0.0) return;
    const std::size_t count = layout_.cells.size();
    context_.layout.parts.assign(2 * count, {});
    for (std::size_t i = 0; i < count; ++i) {
      draw_head(i);
      draw_relation(i);
      draw_map(i);
      draw_profile(i);
    }
    draw_equation_bars(context_, equation_, layout_);
    report_box();
  }

 private:
  Canvas& canvas() { return context_.canvas; }
  const FigureStyle& style() const { return context_.style; }
  TextStyle small(Color color) const {
    TextStyle text = tick_style(style());
    text.color = color;
    return text;
  }
  TextStyle verdict_style(const MapTerm& term) const {
    TextStyle text = small(term.is_relative() ? style().accent : style().muted);
    text.bold = term.is_relative();
    return text;
  }
  double small_line() { return line_height(canvas(), tick_style(style())); }

  /// Of what stands above the map. Beside a small one the sign before it reaches up there.
  double head_width(const EquationLayout::Cell& cell) const {
    const double em = style().text_size;
    return cell.map.width + (cell.map.width >= least_overhung * em ? most_overhang * em : 0.0);
  }

  /// The symbol and the name, above the map.
  void draw_head(std::size_t i) {
    const EquationLayout::Cell& cell = layout_.cells[i];
    const MapTerm& term = equation_.terms[i];
    const double middle = cell.map.x + 0.5 * cell.map.width;
    const double space = gap(style()), name_top = cell.head.bottom() - small_line() - 0.6 * space;
    if (cell.symbol.width <= head_width(cell))
      draw_equation(
          canvas(), cell.symbol,
          {middle - 0.5 * cell.symbol.width, name_top - 0.8 * space - cell.symbol.descent},
          style().text);
    std::string factor = factor_text(term.factor);
    TextStyle name = small(style().muted), bold = small(style().text);
    bold.bold = true;
    double factor_width = factor.empty() ? 0.0 : canvas().text_size(factor, bold).width + space;
    if (factor_width > head_width(cell)) {
      factor.clear();
      factor_width = 0.0;
    }
    std::string words = elided(canvas(), term.name, name, head_width(cell) - factor_width);
    if (words != term.name) {  // the last word tells it from its neighbours: "37" of "step 37"
      const std::string last = term.name.substr(term.name.rfind(' ') + 1);
      if (rich_size(canvas(), last, name).width <= head_width(cell) - factor_width) words = last;
    }
    const double width = words.empty() ? 0.0 : rich_size(canvas(), words, name).width;
    const double left = middle - 0.5 * (width + factor_width);
    if (!words.empty()) draw_rich(canvas(), {left, name_top}, words, name);
    if (!factor.empty()) canvas().text({left + width + space, name_top}, factor, bold);
  }

  void draw_relation(std::size_t i) {
    const EquationLayout::Cell& cell = layout_.cells[i];
    const Rect& room = cell.relation_room;
    const Point middle{room.x + 0.5 * room.width, room.y + 0.5 * room.height};
    const std::string& step = equation_.terms[i].step;
    if (!step.empty()) return draw_step(step, middle, room.width);
    if (cell.relation.width > room.width) return;
    const double shift = 0.5 * (cell.relation.ascent - cell.relation.descent);
    draw_equation(canvas(), cell.relation, {middle.x - 0.5 * cell.relation.width, middle.y + shift},
                  style().text);
  }

  /// An arrow below the word for what it does.
  void draw_step(const std::string& step, Point middle, double width) {
    const double em = style().text_size, half = 0.5 * width - 0.35 * em, head = 0.35 * em;
    const Stroke line{style().text, 0.6 * style().line_width};
    const Point tip{middle.x + half, middle.y};
    draw_segment(canvas(), {middle.x - half, middle.y}, tip, line);
    draw_segment(canvas(), {tip.x - head, tip.y - 0.7 * head}, tip, line);
    draw_segment(canvas(), {tip.x - head, tip.y + 0.7 * head}, tip, line);
    TextStyle word =
        aligned_text(small(style().text), VerticalAlign::bottom, HorizontalAlign::center);
    canvas().text({middle.x, middle.y - 0.5 * gap(style())}, step, word);
  }

  void draw_map(std::size_t i) {
    const EquationLayout::Cell& cell = layout_.cells[i];
    const MapTerm& term = equation_.terms[i];
    PlotContext part{canvas(),        style(),
                     context_.view,   &context_.cache->parts[i],
                     context_.curves, context_.layout.parts[i]};
    const Range colors = divided(layout_.scales[cell.scale].colors, term.factor);
    draw_bare_map(part, term.map, cell.map, color_range(term.map.meaning, colors, colors));
    if (i > 0) return;
    const double space = 0.5 * gap(style());
    TextStyle label = small(style().text);
    const Label columns{term.map.x.label, term.map.x.symbol, shown_part(context_.view.x)};
    const double verdict = canvas().text_size(verdict_of(term), verdict_style(term)).width;
    // In line with the verdict, unless a factor stands there.
    const bool stacked = term.factor != 1.0;
    label.vertical = stacked ? VerticalAlign::top : VerticalAlign::bottom;
    const double at = stacked ? cell.map.bottom() + space : cell.verdict.bottom() - 0.6 * space;
    if (label_width(canvas(), columns, label) + verdict + gap(style()) <= cell.map.width)
      draw_label(canvas(), {cell.map.x, at}, columns, label, cell.map.width);
    label.horizontal = HorizontalAlign::center;
    label.upward = true;
    label.vertical = VerticalAlign::bottom;
    const Label rows{term.map.y.label, term.map.y.symbol, shown_part(context_.view.y)};
    if (label_width(canvas(), rows, label) <= cell.map.height)
      draw_label(canvas(), {cell.map.x - space, cell.map.y + 0.5 * cell.map.height}, rows, label,
                 cell.map.height);
  }

  /// The axes of a profile, which have the scale of its values without the factor.
  Axes axes_of(std::size_t i, const Range& distances) {
    const EquationLayout::Cell& cell = layout_.cells[i];
    Axes axes;
    axes.plot = cell.profile;
    axes.x = {AxisScale::linear, 1.0, distances, cell.profile.x, cell.profile.right()};
    const Range& common = layout_.scales[cell.scale].profile;
    axes.y = {AxisScale::linear, 1.0,
              usable_range(divided(common, equation_.terms[i].factor), AxisScale::linear, common),
              cell.profile.bottom(), cell.profile.y};
    return axes;
  }

  Range distances() {
    Range found{0.0, 0.0};
    for (const Series& series : equation_.profiles.series)
      for (const double x : series.x)
        if (std::isfinite(x)) found = {std::min(found.min, x), std::max(found.max, x)};
    const double around = 0.03 * (found.max - found.min);
    return usable_range({found.min - around, found.max + around}, AxisScale::linear, {-1.0, 1.0});
  }

  void draw_profile(std::size_t i) {
    const Series& series = equation_.profiles.series[i];
    const Axes axes = axes_of(i, distances());
    const Rect& plot = axes.plot;
    canvas().rect(plot, style().plot_background);
    const Stroke line{style().axis, hairline(style())};
    const double zero = axes.y.to_canvas(0.0);
    canvas().push_clip(plot);
    draw_band(context_, series, axes);
    if (zero > plot.y && zero < plot.bottom())
      draw_segment(canvas(), {plot.x, zero}, {plot.right(), zero}, line);
    canvas().pop_clip();
    draw_curve(context_, series, axes);
    draw_segment(canvas(), {plot.x, plot.y}, {plot.x, plot.bottom()}, line);
    draw_segment(canvas(), {plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, line);
    draw_x_ticks(axes, line);
    draw_y_ticks(i, axes, line);
    draw_verdict(i);
    FigureLayout& part = context_.layout.parts[equation_.terms.size() + i];
    part.area = part.plot = plot;
    part.x = axes.x;
    part.y = axes.y;
    part.curves.push_back(
        context_.curves.order(array_key(series.x), [&] { return order_of(series.x); }));
  }

  void draw_x_ticks(const Axes& axes, const Stroke& line) {
    TickRoom room;
    room.spacing = 4.5 * small_line();
    room.gap = 0.8 * style().small_size;
    room.bounds = {axes.plot.x - style().text_size, axes.plot.right() + style().text_size};
    room.integers = true;
    TextStyle text = small(style().text);
    room.extent = [&](std::string_view label) { return canvas().text_size(label, text).width; };
    text.horizontal = HorizontalAlign::center;
    const double bottom = axes.plot.bottom(), end = bottom + tick_length(style());
    for (const Tick& tick : choose_ticks(axes.x, room).major) {
      draw_segment(canvas(), {tick.at, bottom}, {tick.at, end}, line);
      if (!tick.label.empty())
        canvas().text({tick.label_at, end + 0.5 * gap(style())}, tick.label, text);
    }
    text.color = style().muted;
    const Label distance{"", equation_.profiles.x.symbol, ""};
    if (label_width(canvas(), distance, text) <= axes.plot.width)
      draw_label(canvas(),
                 {axes.plot.x + 0.5 * axes.plot.width, end + 0.5 * gap(style()) + small_line()},
                 distance, text, axes.plot.width);
  }

  void draw_y_ticks(std::size_t i, const Axes& axes, const Stroke& line) {
    const EquationLayout::Cell& cell = layout_.cells[i];
    const double left = axes.plot.x, end = left - tick_length(style());
    TextStyle text =
        aligned_text(small(style().text), VerticalAlign::middle, HorizontalAlign::right);
    const Ticks ticks = profile_y_ticks(context_, layout_.scales[cell.scale].profile,
                                        axes.plot.bottom(), axes.plot.y);
    for (const Tick& tick : ticks.major) {
      draw_segment(canvas(), {left, tick.at}, {end, tick.at}, line);
      if (!tick.label.empty() && cell.labelled)
        canvas().text({end - 0.5 * gap(style()), tick.label_at}, tick.label, text);
    }
    if (!cell.first_in_line) return;
    text.horizontal = HorizontalAlign::center;
    text.vertical = VerticalAlign::top;
    text.upward = true;
    text.color = style().muted;
    const Label label{equation_.profiles.y.label, "", ""};
    const double room = axes.plot.height + 2.0 * style().text_size;
    if (label_width(canvas(), label, text) <= room)
      draw_label(canvas(), {cell.relation_room.x, axes.plot.y + 0.5 * axes.plot.height}, label,
                 text, room);
  }

  void draw_verdict(std::size_t i) {
    const EquationLayout::Cell& cell = layout_.cells[i];
    const MapTerm& term = equation_.terms[i];
    TextStyle text = verdict_style(term);
    text.vertical = VerticalAlign::bottom;
    const double bottom = cell.verdict.bottom() - 0.3 * gap(style());
    double room = cell.verdict.width;
    TextStyle bold = small(style().text);
    bold.bold = true;
    bold.vertical = VerticalAlign::bottom;
    const std::string factor = factor_text(term.factor);
    if (!factor.empty() && canvas().text_size(factor, bold).width <= room) {
      canvas().text({cell.verdict.x, bottom}, factor, bold);
      room -= canvas().text_size(factor, bold).width + gap(style());
    }
    text.horizontal = HorizontalAlign::right;
    const std::string all = verdict_of(term);
    // The number says more than the word before it.
    for (const std::string& words : {all, all.substr(all.find(' ') + 1)})
      if (!words.empty() && canvas().text_size(words, text).width <= room)
        return canvas().text({cell.verdict.right(), bottom}, words, text);
  }

  void report_box() {
    double left = layout_.cells.front().map.x, top = layout_.cells.front().map.y;
    double right = left, bottom = top;
    for (const EquationLayout::Cell& cell : layout_.cells) {
      right = std::max(right, cell.map.right());
      bottom = std::max(bottom, cell.profile.bottom());
    }
    context_.layout.plot = {left, top, right - left, bottom - top};
  }

  PlotContext& context_;
  const MapEquation& equation_;
  EquationLayout layout_;
};

}  // namespace

void draw_content(PlotContext& context, const MapEquation& equation, const Rect& room) {
  if (!is_complete(equation)) return;
  HeatmapCache own;
  HeatmapCache* const kept = context.cache;
  if (!kept) context.cache = &own;
  context.cache->parts.resize(equation.terms.size());
  EquationDrawing(context, equation, room).draw();
  context.cache = kept;
}

}  // namespace orrery
