#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/text/enum_names.h"

namespace orrery {

/// The shade around a mean over repeats.
enum class Band {
  interval,   ///< 95 % of the mean, by Student's t
  deviation,  ///< one standard deviation
  range,      ///< from the smallest to the largest
  none
};

/// "interval", "deviation", "range", "none".
const EnumNames<Band>& band_names();

/// What to draw of a sweep; what is empty is chosen.
struct PlotRequest {
  std::string figure{};   ///< id of the figure whose curves are laid over one another
  std::string measure{};  ///< or the measure that is drawn over x, or over x and y as a map
  std::string x{};
  std::string y{};
  std::string hue{};
  std::string facet{};
  std::string dash{};  ///< told apart by dashes, up to three of them
  std::vector<std::pair<std::string, std::string>> where{};  ///< only points with these values
  Band band{Band::interval};
  /// Whether panels have the same axes and colours; curves have, and maps have not.
  std::optional<bool> shared{};
};

/// The curves of a point that a figure lacks, as their file cannot be read.
struct LeftOut {
  std::string figure{};
  std::string point{};   ///< its label and id; empty where the figure is lost at all points
  std::string reason{};  ///< "FILE: is missing; …"
  std::size_t curves{};  ///< as many as each other point has; 0 where they differ in that
};

}  // namespace orrery
