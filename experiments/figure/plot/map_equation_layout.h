#pragma once

#include <string>
#include <vector>

#include "experiments/figure/equation/box.h"
#include "experiments/figure/plot/axes.h"
#include "experiments/figure/plot/ticks.h"

namespace orrery {

struct EquationLayout {
  /// What the maps of one quantity have in common.
  struct Scale {
    Meaning meaning{};
    std::string quantity{};
    Range colors{};       ///< of a map with factor 1
    Range profile{};      ///< of the y axis of a profile with factor 1
    double tick_width{};  ///< of the widest label of that axis
  };
  /// A map with what stands above and below it.
  struct Cell {
    EquationBox relation{};
    EquationBox symbol{};
    Rect relation_room{};  ///< before the map, at half its height
    Rect head{};           ///< symbol and name, above the map
    Rect map{};
    Rect verdict{};  ///< the line above the profile
    Rect profile{};
    std::size_t scale{};        ///< which one is its own
    bool first_in_line{false};  ///< of a line of the equation that is too long for one
    bool labelled{false};       ///< its profile is the first of its scale in the line
  };
  std::vector<Scale> scales{};
  std::vector<Cell> cells{};
  Rect bars{};  ///< below all, for the colour bars
};

/// The equation in as many lines as make its maps largest; maps of no size where there is no room.
/// The context has a cache with a part for each map.
EquationLayout lay_out_equation(PlotContext& context, const MapEquation& equation,
                                const Rect& room);

/// Ticks of the profiles' axes between these ends on the canvas.
Ticks profile_y_ticks(const PlotContext& context, const Range& data, double bottom, double top);

/// Draws the line beneath the maps: the colour bars side by side at the right, the keys of cells
/// without a colour at the left.
void draw_equation_bars(PlotContext& context, const MapEquation& equation,
                        const EquationLayout& layout);

}  // namespace orrery
