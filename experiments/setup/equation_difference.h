#pragma once

#include <optional>

#include "experiments/model/figure.h"

namespace orrery {

/// What changes from one equation of maps to another, term by term: differences add up as terms do.
/// Each map has its own profile by distance, spread and factor; its rounding is the sum of both
/// roundings. A step such as a softmax is not one of differences, and its arrow becomes a comma.
/// None where the terms have other names or shapes, and where maps are reduced, whose cells do not
/// say how values spread along a diagonal.
std::optional<MapEquation> difference_of(const MapEquation& shown, const MapEquation& reference);

}  // namespace orrery
