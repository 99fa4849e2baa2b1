#include "app/player/zoom_motion.h"

#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "app/player/motion.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/figure/plot/heatmap_plot.h"

namespace orrery {
namespace {

/// An axis and its range without zoom.
struct WholeAxis {
  Range range{};
  AxisScale scale{AxisScale::linear};
};

std::optional<std::pair<WholeAxis, WholeAxis>> whole_axes(const Figure& figure,
                                                          const FigureView& view) {
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
    FigureView unzoomed = view;
    unzoomed.x.reset();
    unzoomed.y.reset();
    CurveCache cache;
    return std::pair{
        WholeAxis{fitted_x(*plot, unzoomed, cache), view.x_scale.value_or(plot->x.scale)},
        WholeAxis{fitted_y(*plot, unzoomed, cache), view.y_scale.value_or(plot->y.scale)}};
  }
  const auto* map = std::get_if<Heatmap>(&figure.content);
  if (!map || !map->values || map->values->shape.size() != 2) return std::nullopt;
  const auto& shape = map->values->shape;
  return std::pair{WholeAxis{cells_range(map->x, shape[1]), map->x.scale},
                   WholeAxis{cells_range(map->y, shape[0]), map->y.scale}};
}

double between(double from, double to, double share, AxisScale scale) {
  const bool by_ratios = scale == AxisScale::log10 || scale == AxisScale::log2;
  if (by_ratios && from > 0 && to > 0) return from * std::pow(to / from, share);
  return from + share * (to - from);
}

std::optional<Range> part_way(const WholeAxis& axis, const std::optional<Range>& from,
                              const std::optional<Range>& to, double share) {
  if (from == to) return to;
  const Range a = from.value_or(axis.range), b = to.value_or(axis.range);
  const Range now{between(a.min, b.min, share, axis.scale),
                  between(a.max, b.max, share, axis.scale)};
  if (!std::isfinite(now.min) || !std::isfinite(now.max) || !(now.min < now.max)) return to;
  return now;
}

}  // namespace

bool can_zoom(const FigureView& from, const FigureView& to) {
  return from.x != to.x || from.y != to.y;
}

AxisLimits limits_part_way(const Figure& figure, const FigureView& from, const FigureView& to,
                           double share) {
  const auto whole = share < 1 ? whole_axes(figure, to) : std::nullopt;
  if (!whole) return {to.x, to.y};
  const double along = eased(share);
  return {part_way(whole->first, from.x, to.x, along),
          part_way(whole->second, from.y, to.y, along)};
}

}  // namespace orrery
