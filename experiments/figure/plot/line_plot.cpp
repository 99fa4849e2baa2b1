#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/axes.h"
#include "experiments/figure/plot/axis_map.h"
#include "experiments/figure/plot/coincidence.h"
#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/figure/plot/legend.h"
#include "experiments/figure/plot/line_names.h"

namespace orrery {
namespace {

constexpr double max_legend_width = 0.6;     ///< share of the plot's width
constexpr double max_legend_height = 0.75;   ///< share of the plot's height
constexpr double max_covering_share = 0.25;  ///< largest share of the plot for a legend over curves
constexpr double max_covered_share = 0.03;   ///< share of the curves that a legend may cover
constexpr double max_outside_width = 0.36;   ///< share of the room, for a legend beside the plot
constexpr double max_below_height = 0.65;    ///< share of the room, for a legend below the plot
constexpr std::size_t samples_per_curve = 400;
constexpr double mark_spacing = 6.0;  ///< between the marks along a segment, in points

struct Plans {
  AxisPlan x{};
  AxisPlan y{};
};

/// Whether its curves are counts: there is nothing between one layer and the next. As far as ticks
/// at fractions could come, their first points tell.
bool counts(const LinePlot& plot) {
  constexpr std::ptrdiff_t looked_at = 32;
  return std::all_of(plot.series.begin(), plot.series.end(), [&](const Series& series) {
    const auto size = static_cast<std::ptrdiff_t>(series.x.size());
    return std::all_of(series.x.begin(), series.x.begin() + std::min(size, looked_at),
                       [](double x) { return x == std::round(x); });
  });
}

Plans plan_axes(const LinePlot& plot, const FigureView& view, CurveCache& cache) {
  const Range x = fitted_x(plot, view, cache), y = fitted_y(plot, view, cache);
  Plans plans{plan_axis(plot.x, view.x_scale, x, view.x_threshold),
              plan_axis(plot.y, view.y_scale, y, view.y_threshold)};
  plans.x.integers = plans.x.scale == AxisScale::linear && counts(plot);
  plans.x.data = usable_range(view.x.value_or(x), plans.x.scale, x);
  plans.y.data = usable_range(view.y.value_or(y), plans.y.scale, y);
  return plans;
}

/// Adds marks along the segment up to `to`, at most 200.
void mark_segment(std::vector<Point>& marks, Point from, Point to) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const int steps = static_cast<int>(std::clamp(length / mark_spacing, 1.0, 200.0));
  for (int k = 1; k <= steps; ++k) {
    const double t = static_cast<double>(k) / steps;
    marks.push_back({from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)});
  }
}

void mark_series(std::vector<Point>& marks, const Series& series, const ScaleMap& x,
                 const ScaleMap& y) {
  const std::size_t count = std::min(series.x.size(), series.y.size());
  const std::size_t stride = std::max<std::size_t>(1, count / samples_per_curve);
  std::optional<Point> last;
  for (std::size_t i = 0; i < count; i += stride) {
    const Point p{x.to_canvas(series.x[i]), y.to_canvas(series.y[i])};
    const bool shown = std::isfinite(p.x) && std::isfinite(p.y);
    const bool joined = shown && last && series.style != LineStyle::points;
    if (shown) mark_segment(marks, joined ? *last : p, p);
    last = shown ? std::optional(p) : std::nullopt;
  }
}

void mark_reference_line(std::vector<Point>& marks, const Rule& rule, const ScaleMap& x,
                         const ScaleMap& y, const Rect& area) {
  const bool flat = rule.direction == Rule::Direction::horizontal;
  const double at = (flat ? y : x).to_canvas(rule.at);
  if (!std::isfinite(at)) return;
  mark_segment(marks, flat ? Point{area.x, at} : Point{at, area.y},
               flat ? Point{area.right(), at} : Point{at, area.bottom()});
}

/// Points along the curves and reference lines at the ranges that show the whole plot, so that the
/// legend does not move while a reader pans and zooms.
std::vector<Point> marks_of(const LinePlot& plot, const PlotContext& context, const Axes& axes) {
  AxisMap whole_x = axes.x, whole_y = axes.y;
  whole_x.data = fitted_x(plot, context.view, context.curves);
  whole_y.data = fitted_y(plot, context.view, context.curves);
  const ScaleMap x(whole_x), y(whole_y);
  std::vector<Point> marks;
  for (const Series& series : plot.series) mark_series(marks, series, x, y);
  for (const Rule& rule : plot.rules) mark_reference_line(marks, rule, x, y, axes.plot);
  return marks;
}

struct LegendDecision {
  Legend legend{};
  bool outside{false};

  /// Whether each curve has its whole name.
  bool names_all(std::size_t curves) const {
    if (legend.entries.size() < curves) return false;
    for (std::size_t i = 0; i < curves; ++i)
      if (!legend.names[i].starts_with(shown_name(*legend.entries[i]))) return false;
    return true;
  }
};

LegendDecision decide_legend(const PlotContext& context, const std::vector<const Series*>& named,
                             const Axes& axes, const Rect& room, const std::vector<Point>& marks) {
  LegendDecision decision;
  const Rect& area = axes.plot;
  decision.legend =
      make_legend(context, named, max_legend_width * area.width, max_legend_height * area.height);

  const double covered = cover_least(context, decision.legend, area, marks);
  const bool complete = decision.legend.missing == 0;
  if (complete && covered <= max_covered_share * static_cast<double>(marks.size())) return decision;
  Legend beside = make_legend(context, named, max_outside_width * room.width, area.height);
  const bool better = beside.entries.size() >= decision.legend.entries.size();
  if (better && !beside.entries.empty()) return {std::move(beside), true};
  const double share = decision.legend.size.width * decision.legend.size.height /
                       std::max(area.width * area.height, 1.0);
  // On a thumbnail the curves matter more than their names.
  if (share > max_covering_share) decision.legend = {};
  return decision;
}

/// Records the order of each curve in the layout, for finding the sample under the mouse.
void report_curve_orders(PlotContext& context, const LinePlot& plot) {
  for (const Series& series : plot.series)
    context.layout.curves.push_back(
        context.curves.order(array_key(series.x), [&] { return order_of(series.x); }));
}

/// Axes in their place, and marks along the curves.
struct Frame {
  Axes axes{};
  std::vector<Point> marks{};
};

Frame frame_in(const PlotContext& context, const LinePlot& plot, const Plans& plans,
               const Rect& room) {
  Axes axes = place_axes(context, plans.x, plans.y, room, Aspect::free);
  std::vector<Point> marks = marks_of(plot, context, axes);
  return {std::move(axes), std::move(marks)};
}

/// The frame that leaves room for a legend beside it, which goes to its corner.
Frame frame_beside(const PlotContext& context, const LinePlot& plot, const Plans& plans,
                   const Rect& room, LegendDecision& decision) {
  const double width = decision.legend.size.width + gap(context.style);
  Frame frame = frame_in(context, plot, plans, shrunk(room, 0.0, 0.0, width, 0.0));
  decision.legend.corner = {frame.axes.plot.right() + gap(context.style), frame.axes.plot.y};
  return frame;
}

bool fits_below(const PlotContext& context, const Rect& room,
                const std::vector<const Series*>& named) {
  const Legend legend = make_legend(context, named, room.width, room.height);
  return legend.missing == 0 && legend.size.height <= max_below_height * room.height;
}

/// The frame above a legend as wide as the room, which goes below it: on paper a name that is cut
/// cannot be looked up.
Frame frame_above(PlotContext& context, const LinePlot& plot, const Plans& plans, const Rect& room,
                  const std::vector<const Series*>& named, LegendDecision& decision) {
  decision = {make_legend(context, named, room.width, room.height), true};
  const double height = decision.legend.size.height + gap(context.style);
  Frame frame = frame_in(context, plot, plans, shrunk(room, 0.0, 0.0, 0.0, height));
  decision.legend.corner = {room.x, room.bottom() - decision.legend.size.height};
  context.layout.legend_below = height;
  return frame;
}

/// Boxes that no label may cover.
std::vector<Rect> taken_boxes(const LegendDecision& decision, const GhostNames& names) {
  std::vector<Rect> boxes;
  const Legend& legend = decision.legend;
  if (!legend.entries.empty())
    boxes.push_back({legend.corner.x, legend.corner.y, legend.size.width, legend.size.height});
  for (const GhostNames::Place& place : names.placed) boxes.push_back(place.box);
  return boxes;
}

void draw_data(PlotContext& context, const LinePlot& plot, const Axes& axes) {
  report_curve_orders(context, plot);
  draw_plot_background(context, axes, true);
  draw_bands(context, plot, axes);
  draw_curves(context, plot, axes);
}

/// Of the solid curves that are seen and have a name.
Coincidences coincidences_of(PlotContext& context, const LinePlot& plot, const Axes& axes) {
  Coincidences all;
  for (const Series& series : plot.series) {
    if (series.is_ghost() || series.is_part() || series.name.empty() ||
        series.style != LineStyle::solid || series.marked || context.view.hides(series))
      continue;
    all.add(series, silhouette_of(context, series, axes));
  }
  return all;
}

/// The same axes at the ranges that show the whole plot.
Axes fitted(Axes axes, const LinePlot& plot, PlotContext& context) {
  axes.x.data = fitted_x(plot, context.view, context.curves);
  axes.y.data = fitted_y(plot, context.view, context.curves);
  return axes;
}

/// Draws the plot with the names of its curves at their ends, and returns whether they have room
/// there. So are the figure's own ghosts. One that came later has its name beside its line where
/// that has a place, as the plot would become narrower, else at its end, too.
bool draw_with_names(PlotContext& context, const LinePlot& plot, const Plans& plans,
                     const Frame& whole, const Rect& room) {
  const Axes all = fitted(whole.axes, plot, context);
  std::vector<const Series*> named;
  for (const Series& series : plot.series)
    if (!series.name.empty() && !series.is_part() && (!series.is_ghost() || series.own_ghost) &&
        reaches_end(series, all))
      named.push_back(&series);
  for (;;) {
    const auto names = place_line_names(context, named, all, room.width);
    if (!names) return false;
    const double width = line_names_width(context, *names);
    const auto [axes, marks] = frame_in(context, plot, plans, shrunk(room, 0.0, 0.0, width, 0.0));
    const GhostNames ghosts = place_ghost_names(context, plot, axes, {}, named);
    if (!ghosts.unplaced.empty()) {
      named.insert(named.end(), ghosts.unplaced.begin(), ghosts.unplaced.end());
      continue;
    }
    draw_data(context, plot, axes);
    draw_ghost_names(context, ghosts);
    draw_reference_lines(context, plot.rules, axes, taken_boxes({}, ghosts), marks);
    draw_axes(context, axes);
    draw_line_names(context, *names, axes);
    return true;
  }
}

}  // namespace

void draw_content(PlotContext& context, const LinePlot& plot, const Rect& room) {
  const Plans plans = plan_axes(plot, context.view, context.curves);
  const Frame whole = frame_in(context, plot, plans, room);
  context.twins = coincidences_of(context, plot, whole.axes);
  std::vector<const Series*> named = legend_curves(plot);
  if (context.style.names_at_lines && draw_with_names(context, plot, plans, whole, room)) return;
  LegendDecision decision;
  Frame beside;
  GhostNames names;
  // Ghosts without a place beside their lines go to the legend, which may take others' places.
  do {
    named.insert(named.end(), names.unplaced.begin(), names.unplaced.end());
    decision = decide_legend(context, named, whole.axes, room, whole.marks);
    if (context.style.whole_title && !decision.names_all(named.size()) &&
        fits_below(context, room, named))
      beside = frame_above(context, plot, plans, room, named, decision);
    else if (decision.outside)
      beside = frame_beside(context, plot, plans, room, decision);
    names = place_ghost_names(context, plot, (decision.outside ? beside : whole).axes,
                              taken_boxes(decision, {}), named);
  } while (!names.unplaced.empty());
  const auto& [axes, marks] = decision.outside ? beside : whole;
  draw_data(context, plot, axes);
  draw_ghost_names(context, names);
  draw_reference_lines(context, plot.rules, axes, taken_boxes(decision, names), marks);
  draw_axes(context, axes);
  context.content_bottom += context.layout.legend_below;
  if (!decision.legend.entries.empty()) draw_legend(context, decision.legend, !decision.outside);
}

}  // namespace orrery
