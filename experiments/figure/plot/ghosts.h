#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "experiments/model/figure.h"

namespace orrery {

/// Whether two plots have axes in common, so that the curves of one can be read in the other.
bool share_axes(const LinePlot& a, const LinePlot& b);

/// Another result's version of a plot.
struct GhostSource {
  const LinePlot& plot;
  std::string name{};      ///< what sets it apart, in words: "RoPE · base 500 000"
  std::string settings{};  ///< as much of that as is not the choice of curves: "base 500 000"
  std::size_t place{};     ///< among several sources, which differ in their lines
  bool tells_equal{true};  ///< whether a ghost says that curves are equal
};

/// Adds the curves of `source`, other than `hidden` ones, as ghosts behind those of the plot, whose
/// ranges widen to show them. Each is named by its settings, "base 500 000", and by its curve too
/// where the source has several or other ones: "RoPE · base 500 000". Those equal to the plot's
/// curve of the same name would be covered by it: one ghost, "base 500 000 = RoPE, T5", stands for
/// all of them.
void add_ghosts(LinePlot& plot, const GhostSource& source, const std::set<std::string>& hidden);

}  // namespace orrery
