#pragma once

#include <cstddef>
#include <optional>
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

}  // namespace orrery
