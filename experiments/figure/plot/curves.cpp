#include "experiments/figure/plot/curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <utility>

#include "experiments/figure/color/style.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/decimate.h"

namespace orrery {
namespace {

/// Places and draws the labels of reference lines one after the other.
class ReferenceLabels {
 public:
  ReferenceLabels(PlotContext& context, const Rect& plot, std::vector<Rect> taken,
                  const std::vector<Point>& marks)
      : context_(context),
        plot_(plot),
        marks_(marks),
        text_(tick_style(context.style)),
        boxes_(std::move(taken)) {
    text_.color = context.style.muted;
    text_.vertical = VerticalAlign::middle;
  }

  /// Places a label above or below the line: at its right end, else further left.
  void horizontal(double y, const std::string& label) {
    const Label words(*this, label);
    if (words.shown.empty()) return;
    const double right = plot_.right() - words.size.width - inset(), left = plot_.x + inset();
    std::vector<Rect> candidates;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const double x = right + part * (left - right);
      candidates.push_back(
          {x, y - words.size.height - hair(), words.size.width, words.size.height});
      candidates.push_back({x, y + hair(), words.size.width, words.size.height});
    }
    place(candidates, words.shown);
  }

  /// Places a label to the right or left of the line: at its top, else further down.
  void vertical(double x, const std::string& label) {
    const Label words(*this, label);
    if (words.shown.empty()) return;
    const double step = words.size.height + hair();
    std::vector<Rect> candidates;
    for (double y = plot_.y + hair(); y + words.size.height <= plot_.bottom(); y += step) {
      candidates.push_back({x + inset(), y, words.size.width, words.size.height});
      candidates.push_back(
          {x - words.size.width - inset(), y, words.size.width, words.size.height});
    }
    place(candidates, words.shown);
  }

 private:
  /// What is left of a label in the width that it may take, and its size.
  struct Label {
    Label(const ReferenceLabels& labels, const std::string& label)
        : shown(elided(labels.context_.canvas, label, labels.text_, 0.6 * labels.plot_.width)),
          size(rich_size(labels.context_.canvas, shown, labels.text_)) {}
    std::string shown;
    Size size;
  };

  double inset() const { return gap(context_.style); }
  double hair() const { return hairline(context_.style); }

  bool is_free(const Rect& box) const {
    return is_within(box, plot_) &&
           std::ranges::none_of(boxes_, [&](const Rect& other) { return overlap(box, other); });
  }

  std::ptrdiff_t marks_in(const Rect& box) const {
    return std::ranges::count_if(marks_, [&](const Point& p) { return box.contains(p); });
  }

  void place(const std::vector<Rect>& candidates, const std::string& label) {
    const Rect* best = nullptr;
    std::ptrdiff_t least = 0;
    for (const Rect& box : candidates) {
      if (!is_free(box)) continue;
      const std::ptrdiff_t covered = marks_in(box);
      if (best && covered >= least) continue;
      best = &box;
      least = covered;
      if (least == 0) break;
    }
    if (!best) return;
    context_.canvas.rect(*best, with_alpha(context_.style.plot_background, 0.8));
    draw_rich(context_.canvas, {best->x, best->y + 0.5 * best->height}, label, text_);
    // Keeps the next label at a distance, so that the two are not read as one.
    boxes_.push_back(shrunk(*best, -2 * inset(), 0, -2 * inset(), 0));
  }

  PlotContext& context_;
  Rect plot_;
  const std::vector<Point>& marks_;
  TextStyle text_;
  std::vector<Rect> boxes_;
};

/// The points of a line on the canvas.
Strip strip_of(const MapLine& line, const Axes& axes) {
  Strip points;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    const Point p{axes.x.to_canvas(line.x[i]), axes.y.to_canvas(line.y[i])};
    if (std::isfinite(p.x) && std::isfinite(p.y)) points.push_back(p);
  }
  return points;
}

/// The point of a strip furthest up from which a label of this size finds room at the left.
std::optional<Point> label_place(const Strip& strip, const Size& size, const Rect& plot,
                                 double distance) {
  std::optional<Point> best;
  for (const Point& p : strip) {
    const Rect box{p.x - distance - size.width, p.y - 0.5 * size.height, size.width, size.height};
    if (is_within(box, plot) && (!best || p.y < best->y)) best = p;
  }
  return best;
}

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

void draw_map_lines(PlotContext& context, std::span<const MapLine> lines, const Axes& axes) {
  if (lines.empty()) return;
  const FigureStyle& style = context.style;
  const Color halo = with_alpha(style.plot_background, 0.55);
  TextStyle text = aligned_text(tick_style(style), VerticalAlign::middle, HorizontalAlign::right);
  context.canvas.push_clip(axes.plot);
  for (const MapLine& line : lines) {
    const Strip strip = strip_of(line, axes);
    if (strip.size() < 2) continue;
    context.canvas.line_strip(strip, {halo, 3 * style.line_width});
    context.canvas.line_strip(strip, {style.text, style.line_width, Dash::dashed});
    const Size size = rich_size(context.canvas, line.label, text);
    const double distance = 2 * gap(style);
    const auto at = label_place(strip, size, axes.plot, distance);
    if (!at || line.label.empty()) continue;
    const Rect box{at->x - distance - size.width, at->y - 0.5 * size.height, size.width,
                   size.height};
    context.canvas.rect(shrunk(box, -gap(style) / 2, 0, -gap(style) / 2, 0),
                        with_alpha(style.plot_background, 0.7));
    draw_rich(context.canvas, {box.right(), at->y}, line.label, text);
  }
  context.canvas.pop_clip();
}

void draw_reference_lines(PlotContext& context, std::span<const Rule> rules, const Axes& axes,
                          std::vector<Rect> taken, const std::vector<Point>& marks) {
  const Rect& area = axes.plot;
  const Stroke stroke{context.style.muted, hairline(context.style), Dash::dashed};
  ReferenceLabels labels(context, area, std::move(taken), marks);
  for (const Rule& rule : rules) {
    const bool flat = rule.direction == Rule::Direction::horizontal;
    const double at = (flat ? axes.y : axes.x).to_canvas(rule.at);
    const double low = flat ? area.y : area.x, high = flat ? area.bottom() : area.right();
    if (!(at >= low && at <= high)) continue;
    if (flat) {
      draw_segment(context.canvas, {area.x, at}, {area.right(), at}, stroke);
      labels.horizontal(at, rule.label);
    } else {
      draw_segment(context.canvas, {at, area.y}, {at, area.bottom()}, stroke);
      labels.vertical(at, rule.label);
    }
  }
}

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
