#include "experiments/figure/plot/curves.h"

#include <array>
#include <cmath>
#include <numbers>

#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/decimate.h"

namespace orrery {
namespace {

constexpr double band_alpha = 0.22;
constexpr double ghost_width = 0.6;      ///< of a ghost's line, relative to the others
constexpr double part_width = 0.4;       ///< of the line of one run
constexpr std::size_t most_dots = 4000;  ///< with more, dots cover one another

double width_of(const Series& series) {
  if (series.is_part()) return part_width;
  return series.is_ghost() ? ghost_width : 1.0;
}

CurveCache::CurveKey key_of(const Series& series, const std::vector<double>& y, const Axes& axes) {
  return {.x = array_key(series.x),
          .y = array_key(y),
          .x_axis = axes.x,
          .y_axis = axes.y,
          .plot = axes.plot};
}

void draw_strips(PlotContext& context, const Series& series, const Axes& axes,
                 const Stroke& stroke) {
  for (const Strip& strip : visible_strips(context, series, axes)) {
    if (strip.size() == 1) {
      // A value between two gaps has no line and is drawn as a dot.
      draw_dot(context.canvas, strip[0], 0.75 * stroke.width, stroke.color);
    } else {
      context.canvas.line_strip(strip, stroke);
    }
  }
}

/// Slots beyond the palette have its colours again, and dashes or dots to tell them apart.
Dash dash_of(const FigureStyle& style, const Series& series) {
  if (series.style == LineStyle::dashed) return Dash::dashed;
  if (series.style == LineStyle::dotted) return Dash::dotted;
  if (style.palette.empty() || series.shade || series.color < 0) return Dash::solid;
  const std::size_t round = static_cast<std::size_t>(series.color) / style.palette.size();
  if (round == 0) return Dash::solid;
  return round % 2 == 1 ? Dash::dashed : Dash::dotted;
}

}  // namespace

Stroke curve_stroke(const FigureStyle& style, const Series& series) {
  const Dash dash = dash_of(style, series);
  const double width = style.line_width * width_of(series);
  return {series_color(style, series), width, dash};
}

const std::vector<Strip>& visible_strips(PlotContext& context, const Series& series,
                                         const Axes& axes) {
  return context.curves.strips(key_of(series, series.y, axes), [&] {
    return decimated(series.x, series.y, axes.x, axes.y, axes.plot);
  });
}

Silhouette silhouette_of(PlotContext& context, const Series& series, const Axes& axes) {
  Silhouette silhouette(axes.plot);
  for (const Strip& strip : visible_strips(context, series, axes)) silhouette.add(strip);
  return silhouette;
}

double dot_radius(const FigureStyle& style) { return 1.4 * style.line_width; }

void draw_dot(Canvas& canvas, Point centre, double radius, Color color) {
  constexpr std::size_t corners = 12;
  std::array<Point, corners> circle;
  for (std::size_t i = 0; i < corners; ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / corners;
    circle[i] = {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
  }
  canvas.fill(circle, color);
}

void draw_curve(PlotContext& context, const Series& series, const Axes& axes) {
  const Color color = series_color(context.style, series);
  const double radius = dot_radius(context.style) * width_of(series);
  if (series.style == LineStyle::points || series.marked) {
    CurveCache::CurveKey key = key_of(series, series.y, axes);
    key.cell = 0.5 * radius;
    const std::vector<Point>& dots = context.curves.dots(key, [&] {
      return decimated_dots(series.x, series.y, axes.x, axes.y, axes.plot, key.cell, most_dots);
    });
    context.canvas.push_clip(grown(axes.plot, radius));
    for (const Point& dot : dots) draw_dot(context.canvas, dot, radius, color);
    context.canvas.pop_clip();
    if (!dots.empty() && !series.marked) return;
  }
  // The wider clip keeps the whole width of a curve along the edge of the plot.
  context.canvas.push_clip(grown(axes.plot, 0.5 * context.style.line_width));
  Stroke stroke = curve_stroke(context.style, series);
  if (stroke.dash == Dash::solid) stroke.dash = context.twins.dash_of(series);
  draw_strips(context, series, axes, stroke);
  context.canvas.pop_clip();
}

void draw_band(PlotContext& context, const Series& series, const Axes& axes) {
  const Color color = with_alpha(series_color(context.style, series), band_alpha);
  CurveCache::CurveKey key = key_of(series, series.band_low, axes);
  key.other = array_key(series.band_high);
  const std::vector<BandPiece>& pieces = context.curves.bands(key, [&] {
    return decimated_band(series.x, series.band_low, series.band_high, axes.x, axes.y, axes.plot);
  });
  for (const BandPiece& piece : pieces)
    context.canvas.fill_between(piece.upper, piece.lower, color);
}

void draw_bands(PlotContext& context, const LinePlot& plot, const Axes& axes) {
  context.canvas.push_clip(axes.plot);
  for (const Series& series : plot.series)
    if (!context.view.hides(series)) draw_band(context, series, axes);
  context.canvas.pop_clip();
}

void draw_curves(PlotContext& context, const LinePlot& plot, const Axes& axes) {
  const auto draw = [&](const auto& belongs) {
    for (const Series& series : plot.series)
      if (belongs(series) && !context.view.hides(series)) draw_curve(context, series, axes);
  };
  draw([](const Series& one) { return one.is_ghost(); });
  draw([](const Series& one) { return one.is_part() && !one.is_ghost(); });
  draw([](const Series& one) { return !one.is_part() && !one.is_ghost(); });
}

Color series_color(const FigureStyle& style, const Series& series) {
  if (series.is_ghost()) return style.ghost;
  if (series.shade) return stroke_colormap(background_of(style)).at(*series.shade);
  const int slot = series.color;
  if (style.palette.empty()) return style.text;
  const auto count = static_cast<int>(style.palette.size());
  return style.palette[static_cast<std::size_t>(((slot % count) + count) % count)];
}

void draw_sample(PlotContext& context, const Series& series, Point from, Point to) {
  const bool hidden = context.view.hidden.contains(series.name);
  const Color color = hidden ? context.style.muted : series_color(context.style, series);
  if (series.style == LineStyle::points) {
    draw_dot(context.canvas, {0.5 * (from.x + to.x), from.y}, dot_radius(context.style), color);
    return;
  }
  Stroke stroke = curve_stroke(context.style, series);
  stroke.color = color;
  if (const Series& first = context.twins.first_of(series); &first != &series) {
    draw_segment(context.canvas, from, to, curve_stroke(context.style, first));
    stroke.dash = context.twins.dash_of(series);
  }
  draw_segment(context.canvas, from, to, stroke);
  if (series.marked)
    draw_dot(context.canvas, {0.5 * (from.x + to.x), from.y}, dot_radius(context.style), color);
}

}  // namespace orrery
