#include "app/views/figure_difference.h"

#include <utility>

#include "app/views/readout.h"
#include "experiments/figure/plot/difference.h"
#include "experiments/setup/equation_difference.h"

namespace orrery {

std::optional<Figure> figure_difference(const Figure& shown, const Figure& other) {
  const auto* equation = std::get_if<MapEquation>(&shown.content);
  const auto* subtrahend = std::get_if<MapEquation>(&other.content);
  if (!equation || !subtrahend) return difference_of(shown, other);
  auto difference = difference_of(*equation, *subtrahend);
  if (!difference) return std::nullopt;
  return Figure{shown.id, "Difference: " + shown.title, shown.caption, std::move(*difference),
                shown.role};
}

std::string quantity_of(const Figure& figure) {
  if (const auto* map = std::get_if<Heatmap>(&figure.content)) return map->quantity;
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) return axis_name(plot->y);
  if (std::holds_alternative<MapEquation>(figure.content)) return "term by term";
  return {};
}

}  // namespace orrery
