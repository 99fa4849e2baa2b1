#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "experiments/figure/figure.h"

namespace orrery {

/// `shown` − `reference`. Curves are paired by name, or a single one with a single one, and
/// subtracted at the x that both have; bands are left out. Maps of one shape are subtracted cell by
/// cell (angles to within half a turn) and are masked where either is. Empty when the kinds differ
/// or nothing can be paired; tables and arrows have no difference.
std::optional<Figure> difference_of(const Figure& shown, const Figure& reference);

/// The figure of `candidates` to compare with: of the same id, else the one in the same place when
/// there are `count` of both. Null when there is none.
const Figure* counterpart(const std::vector<Figure>& candidates, const Figure& figure,
                          std::size_t place, std::size_t count);

}  // namespace orrery
