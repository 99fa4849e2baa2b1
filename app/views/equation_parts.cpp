#include "app/views/equation_parts.h"

#include <utility>

namespace orrery {

std::vector<TermOnScreen> parts_of(const MapEquation& equation, const FigureLayout& frame) {
  const std::size_t terms = equation.terms.size();
  std::vector<TermOnScreen> parts;
  // A frame of the figure before may have another number of maps.
  if (frame.parts.size() != 2 * terms) return parts;
  for (std::size_t i = 0; i < frame.parts.size(); ++i)
    parts.push_back({i % terms, i >= terms, frame.parts[i]});
  return parts;
}

std::optional<TermOnScreen> part_at(const MapEquation& equation, const FigureLayout& frame,
                                    Point point) {
  for (TermOnScreen& part : parts_of(equation, frame))
    if (part.frame.plot.contains(point)) return std::move(part);
  return std::nullopt;
}

Heatmap map_of_part(const MapEquation& equation, std::size_t term) {
  Heatmap map = equation.terms[term].map;
  map.quantity = equation.terms[term].name;
  return map;
}

std::optional<MapOfEquation> map_in_equation(const Figure& figure, const FigureLayout& frame,
                                             std::size_t term) {
  const auto* equation = std::get_if<MapEquation>(&figure.content);
  if (!equation || term >= equation->terms.size() ||
      frame.parts.size() != 2 * equation->terms.size())
    return std::nullopt;
  return MapOfEquation{
      {.id = figure.id, .content = map_of_part(*equation, term), .role = figure.role},
      frame.parts[term]};
}

LinePlot profile_of_part(const MapEquation& equation, std::size_t term) {
  const LinePlot& all = equation.profiles;
  return {.x = all.x, .y = all.y, .series = {all.series[term]}};
}

}  // namespace orrery
