#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/experiment.h"

namespace orrery {

/// A parameter and its value as typed.
using Assignment = std::pair<std::string, std::string>;

/// Reads "key=value", "--key value", "--key=value", "--flag" and "--no-flag"; a dash in a flag's
/// name stands for an underscore where the key has one. Throws UsageError: a word that is none of
/// these, an unknown key, a flag without its value, a key given twice.
std::vector<Assignment> parse_assignments(const ParamSet& defaults,
                                          const std::vector<std::string>& words);

}  // namespace orrery
