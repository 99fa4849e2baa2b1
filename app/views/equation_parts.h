#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/model/figure.h"

namespace orrery {

/// A map or a profile in an equation of maps.
struct TermOnScreen {
  std::size_t term{};
  bool is_profile{};
  FigureLayout frame{};
};

/// A map of an equation as a figure of its own, by which pan and zoom move it.
struct MapOfEquation {
  Figure figure{};
  FigureLayout frame{};
};
/// The map of a term as it lies in the equation's frame; none where it is not drawn.
std::optional<MapOfEquation> map_in_equation(const Figure& figure, const FigureLayout& frame,
                                             std::size_t term);

/// The part under a point of the canvas.
std::optional<TermOnScreen> part_at(const MapEquation& equation, const FigureLayout& frame,
                                    Point point);
/// All parts that are drawn.
std::vector<TermOnScreen> parts_of(const MapEquation& equation, const FigureLayout& frame);

/// The map of a term, called as the term is.
Heatmap map_of_part(const MapEquation& equation, std::size_t term);
/// The profile of a term as a plot of its own.
LinePlot profile_of_part(const MapEquation& equation, std::size_t term);

}  // namespace orrery
