#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

/// The figure `shown` − `reference`. Curves are paired by name (or, if each plot has only one, with
/// each other) and subtracted at the x that both have; bands are left out. Maps of equal shape are
/// subtracted cell by cell (angles modulo a full turn, to at most half a turn) and masked where
/// either is. Empty when the kinds differ or nothing can be paired, and for tables and arrows.
std::optional<Figure> difference_of(const Figure& shown, const Figure& reference);

/// The other curves of a plot minus one of its own, named "ALiBi − RoPE". Empty where it has no
/// such curve or none has an x in common with it.
std::optional<Figure> difference_from_curve(const Figure& figure, const std::string& curve);

/// The candidate to compare `figure` with: the one with the same id, else the one at the same index
/// `place` if there are `count` candidates. Null when there is none.
const Figure* counterpart(const std::vector<Figure>& candidates, const Figure& figure,
                          std::size_t place, std::size_t count);

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
