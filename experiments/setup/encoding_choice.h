#pragma once

#include <string>
#include <vector>

#include "core/door.h"
#include "core/params.h"

namespace orrery {

/// Names of the encodings that use at least one of these doors, in the order of the catalogue.
std::vector<std::string> encodings_with(const std::vector<Door>& doors);

/// Whether the encodings that "encoding" names treat all heads of a layer alike.
bool heads_are_alike(const ParamSet& params);

/// "encoding" with these names as its only choices.
ParamSpec encodings_param_among(const std::vector<std::string>& names,
                                std::vector<std::string> default_names);

/// Appends the parameters of these encodings behind the selector "encoding"; those of others are
/// left out, and so is what mutes parts of a score: these experiments look at encodings alone.
std::vector<ParamSpec> with_params_of(const std::vector<std::string>& names,
                                      std::vector<ParamSpec> specs);

}  // namespace orrery
