#pragma once

#include <optional>
#include <string>

#include "experiments/model/figure.h"

namespace orrery {

/// `shown` minus `other`, whose contents are of one kind: curves, a map, or an equation of maps
/// term by term. None where they do not match.
std::optional<Figure> figure_difference(const Figure& shown, const Figure& other);

/// What is subtracted, for the title of a difference: "attention weight". Empty where it has no
/// name.
std::string quantity_of(const Figure& figure);

}  // namespace orrery
