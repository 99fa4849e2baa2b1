#include <algorithm>
#include <cmath>

#include "experiments/figure/curves.h"
#include "experiments/figure/fit.h"
#include "experiments/figure/legend.h"

namespace orrery {
namespace {

constexpr double widest_legend = 0.42;   ///< of the plot's width
constexpr double tallest_legend = 0.75;  ///< of the plot's height
constexpr double crowded = 0.03;         ///< part of the curves that a legend may cover
constexpr double widest_outside = 0.3;   ///< of the room, for a legend beside the plot
constexpr std::size_t samples_a_curve = 400;

struct Plans {
  AxisPlan x{};
  AxisPlan y{};
};

Plans plan_axes(const LinePlot& plot, const FigureView& view) {
  const Range x = fitted_x(plot, view), y = fitted_y(plot, view);
  Plans plans{plan_axis(plot.x, view.x_scale, x), plan_axis(plot.y, view.y_scale, y)};
  plans.x.data = usable_range(view.x.value_or(x), plans.x.scale, x);
  plans.y.data = usable_range(view.y.value_or(y), plans.y.scale, y);
  return plans;
}

/// Points along the curves as they lie when the whole plot shows, so that the legend stays where it
/// is while a reader pans and zooms.
std::vector<Point> curve_marks(const LinePlot& plot, const FigureView& view, const Axes& axes) {
  AxisMap x = axes.x, y = axes.y;
  x.data = fitted_x(plot, view);
  y.data = fitted_y(plot, view);
  std::vector<Point> marks;
  for (const Series& series : plot.series) {
    const std::size_t count = std::min(series.x.size(), series.y.size());
    const std::size_t stride = std::max<std::size_t>(1, count / samples_a_curve);
    for (std::size_t i = 0; i < count; i += stride) {
      const Point p{x.to_canvas(series.x[i]), y.to_canvas(series.y[i])};
      if (std::isfinite(p.x) && std::isfinite(p.y)) marks.push_back(p);
    }
  }
  return marks;
}

struct LegendDecision {
  Legend legend{};
  LegendPlace place{};
  bool outside{false};
};

LegendDecision decide_legend(const Sheet& sheet, const LinePlot& plot, const Axes& axes,
                             const Rect& room) {
  LegendDecision decision;
  const Rect& area = axes.plot;
  decision.legend =
      make_legend(sheet, plot, widest_legend * area.width, tallest_legend * area.height);
  const std::vector<Point> marks = curve_marks(plot, sheet.view, axes);
  decision.place = least_covering(sheet, decision.legend, area, marks);
  const bool complete = decision.legend.entries.size() >= plot.series.size();
  if (complete && decision.place.covered <= crowded * static_cast<double>(marks.size())) {
    return decision;
  }
  Legend beside = make_legend(sheet, plot, widest_outside * room.width, area.height);
  if (beside.entries.size() < decision.legend.entries.size() || beside.entries.empty()) {
    return decision;
  }
  return {std::move(beside), {}, true};
}

}  // namespace

void draw_content(Sheet& sheet, const LinePlot& plot, const Rect& room) {
  const Plans plans = plan_axes(plot, sheet.view);
  Axes axes = place_axes(sheet, plans.x, plans.y, room, Aspect::free);
  LegendDecision decision = decide_legend(sheet, plot, axes, room);
  if (decision.outside) {
    const double width = decision.legend.size.width + gap(sheet.style);
    axes = place_axes(sheet, plans.x, plans.y, shrunk(room, 0.0, 0.0, width, 0.0), Aspect::free);
    decision.place.corner = {axes.plot.right() + gap(sheet.style), axes.plot.y};
  }
  draw_plot_ground(sheet, axes, true);
  draw_bands(sheet, plot, axes);
  draw_curves(sheet, plot, axes);
  draw_rules(sheet, plot, axes);
  draw_axes(sheet, axes);
  if (!decision.legend.entries.empty()) {
    draw_legend(sheet, decision.legend, decision.place.corner, !decision.outside);
  }
}

}  // namespace orrery
