#pragma once

#include <string>
#include <vector>

#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/rope_dictionary.h"

namespace orrery {

/// The rope_type of a dictionary in the words of rope.scaling and rope.partial: "su" is longrope,
/// "mrope" is none, "proportional" stays.
std::string scaling_kind(const ConfigValues& config, const RopeDictionary& dictionary,
                         std::vector<std::string>& assumed);

/// Parameters of the scaling `kind`. Throws DataError: lists that are no numbers.
void read_scaling(const ConfigValues& config, const RopeDictionary& dictionary,
                  const std::string& kind, const ReadOptions& options, LayerPlan& layer,
                  std::vector<std::string>& assumed);

/// Replaces the layer's scaling by factors, one per pair, by which frequencies are divided.
void put_factors(LayerPlan& layer, std::vector<double> factors, std::string reason);

}  // namespace orrery
