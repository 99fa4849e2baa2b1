#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/plot/axis_map.h"

namespace orrery {

struct Tick {
  double value{};
  double at{};          ///< canvas coordinate
  std::string label{};  ///< empty where it does not fit
  double label_at{};    ///< middle of the label, moved inwards near the ends of the axis
};

struct Ticks {
  std::vector<Tick> major{};
  std::vector<double> minor{};  ///< canvas coordinates
};

/// Room for ticks and their labels, in canvas units along the axis.
struct TickRoom {
  double spacing{};  ///< preferred distance between ticks; half of it is the minimum
  double gap{};      ///< smallest distance between two labels
  Range bounds{};    ///< canvas coordinates that labels must not leave
  std::function<double(std::string_view)> extent{};  ///< length of a label along the axis
  bool integers{false};                              ///< ticks at integers only
};

/// Ticks at 1-2-5 steps, decades or powers of two, as many as fit: labels never overlap and never
/// leave the bounds.
Ticks choose_ticks(const AxisMap& axis, const TickRoom& room);

/// Ticks at multiples of π/2 or π if the axis ends at such multiples (an angle); otherwise as by
/// choose_ticks.
Ticks choose_angle_ticks(const AxisMap& axis, const TickRoom& room);

/// One tick per visible integer, labelled by its name, of which the first is of `first`; where not
/// all labels fit, every second, third … up to the eighth has one; empty unless these fit.
Ticks name_ticks(const AxisMap& axis, const std::vector<std::string>& names, const TickRoom& room,
                 double first = 0.0);

}  // namespace orrery
