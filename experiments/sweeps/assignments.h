#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/model/experiment.h"

namespace orrery {

/// A parameter and its value as typed.
using Assignment = std::pair<std::string, std::string>;

/// Reads "key=value", "--key value", "--key=value", "--flag" and "--no-flag"; dashes in
/// the name of a flag are read as underscores. Throws UsageError: a word of another form, an
/// unknown key, a flag without its value, a key given twice.
std::vector<Assignment> parse_assignments(const ParamSet& defaults,
                                          const std::vector<std::string>& words);

/// Parses the words into the parameters. Throws UsageError, also for keys that nothing reads.
ParamSet params_from(ParamSet defaults, const std::vector<std::string>& words);

}  // namespace orrery
