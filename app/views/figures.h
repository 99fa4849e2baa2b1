#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/axis_map.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/model/figure.h"
#include "experiments/model/result.h"

namespace orrery {

/// A figure that keeps alive what it belongs to. Two that are equal are the same figure: nothing
/// changes one that is on screen.
using FigurePtr = std::shared_ptr<const Figure>;
using Figures = std::vector<FigurePtr>;
using FiguresById = std::map<std::string, FigurePtr>;
using ResultPtr = std::shared_ptr<const Result>;

inline Figures figures_of(const ResultPtr& result) {
  Figures figures;
  if (result)
    for (const Figure& figure : result->figures) figures.emplace_back(result, &figure);
  return figures;
}

inline FigurePtr make_figure(Figure figure) {
  return std::make_shared<const Figure>(std::move(figure));
}

// The axes that figures of different experiments have in common, so that what is pointed at in
// one is found in another.

/// The axis' symbol; its label where it has none.
std::string short_name(const Axis& axis);
/// The axis value at the middle of a cell: its index, unless the axis has a range.
double position_of(const Axis& axis, std::size_t index, std::size_t count);
/// The same in whole tokens, for a cell that may be of several distances.
double distance_at(const Axis& axis, std::size_t index, std::size_t count);
/// Whether x is the distance m − n of two tokens.
bool is_by_distance(const LinePlot& plot);
bool is_by_distance(const Heatmap& map);
/// Whether x, the rows or the arrows are pairs of channels.
bool is_by_pair(const LinePlot& plot);
bool is_by_pair(const Heatmap& map);
bool is_by_pair(const VectorPlot& plot);
/// Whether rows are queries and columns keys.
bool is_query_by_key(const Heatmap& map);
/// m − n of a cell of such a map.
double distance_of(const Heatmap& map, Cell cell);
/// The two ends of the line through the middles of the cells at a distance m − n, in the data of
/// the axes, from the top left; empty when the map has no such cells.
std::optional<std::array<Point, 2>> diagonal_at(const Heatmap& map, double distance);

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

// The data ranges that result from gestures. They are computed on the canvas, so that they apply to
// every axis scale; empty where the range could not be shown.

/// The range after the plot was dragged by `by` pixels along the axis.
std::optional<Range> panned(const AxisMap& axis, double by);
/// The range after zooming by `factor` (below 1: closer) about the pixel `at`, which stays in
/// place.
std::optional<Range> zoomed(const AxisMap& axis, double at, double factor);
/// The range between two pixels.
std::optional<Range> between_pixels(const AxisMap& axis, double a, double b);
/// `range` moved, and if need be cut, to lie in `home`.
Range kept_within(Range range, const Range& home);

/// The part of a colour bar that is dragged.
enum class ColorGrip { none, low, high, both };

/// The grip under the cursor: an end of the bar, or the middle for both. A diverging bar stays
/// centred on 0, so that each half holds its end; the turn of a cyclic one is fixed.
ColorGrip color_grip_at(const FigureLayout& frame, Meaning meaning, Point cursor);

/// The range after the grip was dragged between two pixels; `axis` is the bar's when the drag
/// began. Empty where nothing would be left of the range.
std::optional<Range> dragged_color(const AxisMap& axis, ColorGrip grip, Meaning meaning,
                                   double from, double to);
/// The range after the wheel turned over the bar: closer about the cursor for a factor below 1.
std::optional<Range> zoomed_color(const AxisMap& axis, Meaning meaning, double at, double factor);

}  // namespace orrery
