#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/formula.h"
#include "experiments/model/experiment.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery {

// What `orrery list` and `orrery describe` tell programs of experiments, encodings and presets.

/// "θ = base  [sec. 3.3]", a line each.
std::vector<std::string> formula_texts(const std::vector<Formula>& formulas);
/// Those of an experiment, and of each choice that has others.
std::vector<std::string> equations_of(const ExperimentInfo& info);

/// Throws UsageError, with the nearest name, where no experiment, encoding or preset has it.
SweepSpec find_preset(const std::string& name);

/// The experiment, encoding or preset of that name with its parameters. Throws as find_preset.
nlohmann::ordered_json description_json(const std::string& name);

/// "experiments", "encodings" and "presets", as far as they are asked for.
nlohmann::ordered_json list_json(bool experiments, bool encodings, bool presets);

}  // namespace orrery
