#include <algorithm>
#include <cmath>

#include "experiments/figure/curves.h"
#include "experiments/figure/fit.h"
#include "experiments/figure/legend.h"
#include "experiments/figure/scale.h"

namespace orrery {
namespace {

constexpr double widest_legend = 0.6;    ///< of the plot's width
constexpr double tallest_legend = 0.75;  ///< of the plot's height
constexpr double largest_share = 0.25;   ///< of the plot, for a legend that covers curves
constexpr double crowded = 0.03;         ///< part of the curves that a legend may cover
constexpr double widest_outside = 0.36;  ///< of the room, for a legend beside the plot
constexpr std::size_t samples_a_curve = 400;
constexpr double mark_spacing = 6.0;  ///< of the marks between two samples

struct Plans {
  AxisPlan x{};
  AxisPlan y{};
};

Plans plan_axes(const LinePlot& plot, const FigureView& view, CurveCache& cache) {
  const Range x = fitted_x(plot, view, cache), y = fitted_y(plot, view, cache);
  Plans plans{plan_axis(plot.x, view.x_scale, x, view.x_threshold),
              plan_axis(plot.y, view.y_scale, y, view.y_threshold)};
  plans.x.data = usable_range(view.x.value_or(x), plans.x.scale, x);
  plans.y.data = usable_range(view.y.value_or(y), plans.y.scale, y);
  return plans;
}

/// Marks from the last one to `to`; at most as many as cross a plot.
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
  const std::size_t stride = std::max<std::size_t>(1, count / samples_a_curve);
  std::optional<Point> last;
  for (std::size_t i = 0; i < count; i += stride) {
    const Point p{x.to_canvas(series.x[i]), y.to_canvas(series.y[i])};
    const bool shown = std::isfinite(p.x) && std::isfinite(p.y);
    const bool joined = shown && last && series.style != LineStyle::points;
    if (shown) mark_segment(marks, joined ? *last : p, p);
    last = shown ? std::optional(p) : std::nullopt;
  }
}

void mark_rule(std::vector<Point>& marks, const Rule& rule, const ScaleMap& x, const ScaleMap& y,
               const Rect& area) {
  const bool flat = rule.direction == Rule::Direction::horizontal;
  const double at = (flat ? y : x).to_canvas(rule.at);
  if (!std::isfinite(at)) return;
  mark_segment(marks, flat ? Point{area.x, at} : Point{at, area.y},
               flat ? Point{area.right(), at} : Point{at, area.bottom()});
}

/// Points along the curves and rules as they lie when the whole plot shows, so that the legend
/// stays where it is while a reader pans and zooms.
std::vector<Point> marks_of(const LinePlot& plot, const Sheet& sheet, const Axes& axes) {
  AxisMap whole_x = axes.x, whole_y = axes.y;
  whole_x.data = fitted_x(plot, sheet.view, sheet.curves);
  whole_y.data = fitted_y(plot, sheet.view, sheet.curves);
  const ScaleMap x(whole_x), y(whole_y);
  std::vector<Point> marks;
  for (const Series& series : plot.series) mark_series(marks, series, x, y);
  for (const Rule& rule : plot.rules) mark_rule(marks, rule, x, y, axes.plot);
  return marks;
}

struct LegendDecision {
  Legend legend{};
  LegendPlace place{};
  bool outside{false};
};

LegendDecision decide_legend(const Sheet& sheet, const LinePlot& plot, const Axes& axes,
                             const Rect& room, const std::vector<Point>& marks) {
  LegendDecision decision;
  const Rect& area = axes.plot;
  decision.legend =
      make_legend(sheet, plot, widest_legend * area.width, tallest_legend * area.height);

  decision.place = least_covering(sheet, decision.legend, area, marks);
  const bool complete = decision.legend.missing == 0;
  if (complete && decision.place.covered <= crowded * static_cast<double>(marks.size())) {
    return decision;
  }
  Legend beside = make_legend(sheet, plot, widest_outside * room.width, area.height);
  const bool better = beside.entries.size() >= decision.legend.entries.size();
  if (better && !beside.entries.empty()) return {std::move(beside), {}, true};
  const double share = decision.legend.size.width * decision.legend.size.height /
                       std::max(area.width * area.height, 1.0);
  // On a thumbnail the curves say more than their names.
  if (share > largest_share) decision.legend = {};
  return decision;
}

/// For whoever looks for the sample under a mouse.
void note_orders(Sheet& sheet, const LinePlot& plot) {
  for (const Series& series : plot.series)
    sheet.frame.curves.push_back(
        sheet.curves.order(place_of(series.x), [&] { return order_of(series.x); }));
}

Rect legend_box(const LegendDecision& decision) {
  const Point& corner = decision.place.corner;
  return {corner.x, corner.y, decision.legend.size.width, decision.legend.size.height};
}

}  // namespace

void draw_content(Sheet& sheet, const LinePlot& plot, const Rect& room) {
  const Plans plans = plan_axes(plot, sheet.view, sheet.curves);
  Axes axes = place_axes(sheet, plans.x, plans.y, room, Aspect::free);
  std::vector<Point> marks = marks_of(plot, sheet, axes);
  LegendDecision decision = decide_legend(sheet, plot, axes, room, marks);
  if (decision.outside) {
    const double width = decision.legend.size.width + gap(sheet.style);
    axes = place_axes(sheet, plans.x, plans.y, shrunk(room, 0.0, 0.0, width, 0.0), Aspect::free);
    decision.place.corner = {axes.plot.right() + gap(sheet.style), axes.plot.y};
    marks = marks_of(plot, sheet, axes);
  }
  note_orders(sheet, plot);
  draw_plot_ground(sheet, axes, true);
  draw_bands(sheet, plot, axes);
  draw_curves(sheet, plot, axes);
  draw_rules(sheet, plot, axes, legend_box(decision), marks);
  draw_axes(sheet, axes);
  if (!decision.legend.entries.empty()) {
    draw_legend(sheet, decision.legend, decision.place.corner, !decision.outside);
  }
}

}  // namespace orrery
