#include "experiments/figure/curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "experiments/figure/decimate.h"
#include "experiments/figure/legend.h"

namespace orrery {
namespace {

constexpr double band_alpha = 0.22;
constexpr std::size_t most_dots = 4000;  ///< more would hide one another

bool hidden(const Sheet& sheet, const Series& series) {
  return sheet.view.hidden.contains(series.name);
}

CurveCache::CurveKey key_of(const Series& series, const std::vector<double>& y, const Axes& axes) {
  return {.x = place_of(series.x),
          .y = place_of(y),
          .x_axis = axes.x,
          .y_axis = axes.y,
          .plot = axes.plot};
}

void draw_strips(Sheet& sheet, const Series& series, const Axes& axes, const Stroke& stroke) {
  const std::vector<Strip>& strips = sheet.curves.strips(key_of(series, series.y, axes), [&] {
    return decimated(series.x, series.y, axes.x, axes.y, axes.plot);
  });
  for (const Strip& strip : strips) {
    if (strip.size() == 1) {
      // A value between two gaps has no line: it is drawn as a dot.
      draw_dot(sheet.canvas, strip[0], 0.75 * stroke.width, stroke.color);
    } else {
      sheet.canvas.line_strip(strip, stroke);
    }
  }
}

Rect grown(const Rect& r, double by) {
  return {r.x - by, r.y - by, r.width + 2.0 * by, r.height + 2.0 * by};
}

void draw_curve(Sheet& sheet, const Series& series, const Axes& axes) {
  const Color color = series_color(sheet.style, series.color);
  const double radius = dot_radius(sheet.style);
  if (series.style == LineStyle::points) {
    CurveCache::CurveKey key = key_of(series, series.y, axes);
    key.cell = 0.5 * radius;
    const std::vector<Point>& dots = sheet.curves.dots(key, [&] {
      return decimated_dots(series.x, series.y, axes.x, axes.y, axes.plot, key.cell, most_dots);
    });
    sheet.canvas.push_clip(grown(axes.plot, radius));
    for (const Point& dot : dots) draw_dot(sheet.canvas, dot, radius, color);
    sheet.canvas.pop_clip();
    if (!dots.empty()) return;
  }
  // A curve along the edge of the plot keeps its whole width.
  sheet.canvas.push_clip(grown(axes.plot, 0.5 * sheet.style.line_width));
  draw_strips(sheet, series, axes, curve_stroke(sheet.style, series.style, color));
  sheet.canvas.pop_clip();
}

}  // namespace

Stroke curve_stroke(const FigureStyle& style, LineStyle line, Color color) {
  const Dash dash = line == LineStyle::dashed   ? Dash::dashed
                    : line == LineStyle::dotted ? Dash::dotted
                                                : Dash::solid;
  return {color, style.line_width, dash};
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

void draw_bands(Sheet& sheet, const LinePlot& plot, const Axes& axes) {
  sheet.canvas.push_clip(axes.plot);
  for (const Series& series : plot.series) {
    if (hidden(sheet, series)) continue;
    const Color color = with_alpha(series_color(sheet.style, series.color), band_alpha);
    CurveCache::CurveKey key = key_of(series, series.band_low, axes);
    key.other = place_of(series.band_high);
    const std::vector<BandPiece>& pieces = sheet.curves.bands(key, [&] {
      return decimated_band(series.x, series.band_low, series.band_high, axes.x, axes.y, axes.plot);
    });
    for (const BandPiece& piece : pieces) {
      sheet.canvas.fill_between(piece.upper, piece.lower, color);
    }
  }
  sheet.canvas.pop_clip();
}

void draw_curves(Sheet& sheet, const LinePlot& plot, const Axes& axes) {
  for (const Series& series : plot.series) {
    if (!hidden(sheet, series)) draw_curve(sheet, series, axes);
  }
}

}  // namespace orrery
