#pragma once

#include <string>
#include <string_view>

#include "experiments/model/experiment.h"

namespace orrery {

/// What the choice of a figure is called where its title is too long: its experiment's words for
/// it, or what it shows and of which encoding ("Weights: RoPE"), or its id in words.
std::string tab_title(const Figure& figure, const ExperimentView& view);

/// The name of a group of figures: an encoding's label for its name ("RoPE" for "rope"), words for
/// a kind ("Mean logit" for "mean_logit").
std::string group_title(std::string_view group, const ExperimentView& view);

}  // namespace orrery
