#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/layout.h"

namespace orrery {

struct Tick {
  double value{};
  double at{};          ///< canvas coordinate
  std::string label{};  ///< may be empty where there is no room
  double label_at{};    ///< middle of the label, moved inwards at the ends
};

struct Ticks {
  std::vector<Tick> major{};
  std::vector<double> minor{};  ///< canvas coordinates
};

/// The room that ticks and their labels have.
struct TickRoom {
  double spacing{};  ///< least distance of two ticks that looks calm
  double gap{};      ///< least distance of two labels
  Range bounds{};    ///< labels stay within these canvas coordinates
  std::function<double(std::string_view)> extent{};  ///< of a label, along the axis
  bool integers{false};                              ///< ticks at whole numbers only
};

/// Ticks at 1-2-5 steps, decades or powers of two, as many as fit: labels never overlap and never
/// leave the bounds.
Ticks choose_ticks(const AxisMap& axis, const TickRoom& room);

/// Ticks at the whole multiples of π/2 or π when the axis runs over such a range (an angle), and
/// choose_ticks otherwise.
Ticks choose_angle_ticks(const AxisMap& axis, const TickRoom& room);

/// One tick at each whole number shown, labelled by its name; empty when they do not all fit.
Ticks name_ticks(const AxisMap& axis, const std::vector<std::string>& names, const TickRoom& room);

}  // namespace orrery
