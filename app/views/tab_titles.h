#pragma once

#include <string>
#include <string_view>

#include "app/session/layers.h"
#include "experiments/model/figure.h"

namespace orrery::views {

/// What the choice of a figure is called where its title is too long: its kind in words and, where
/// the figure is of one encoding among several, that encoding.
std::string tab_title(const Figure& figure);

/// The name of a group of figures: an encoding's label for an encoding's name ("RoPE" for "rope"),
/// words for a kind ("Mean logit" for "mean_logit").
std::string group_title(std::string_view group);

}  // namespace orrery::views
