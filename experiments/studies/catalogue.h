#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formula.h"
#include "experiments/model/experiment.h"
#include "experiments/model/result.h"

namespace orrery {

/// THE list of experiments, in the order in which menus show them.
const std::vector<const Experiment*>& experiment_catalogue();

/// Null where there is none such: a saved result may come from another version.
const Experiment* known_experiment(std::string_view name);

/// Throws UsageError naming the nearest experiment when there is none such.
const Experiment& find_experiment(std::string_view name);

/// The parameters of one of them at their defaults. What is made by copying them has the
/// declarations in common, which take more memory than a small plan.
const ParamSet& default_params(const Experiment& experiment);

/// Everything that the formulas of a figure depend on.
struct FormulaSubject {
  std::string experiment{};  ///< its name
  Settings params{};         ///< those of a Provenance
  FigureRole role{};         ///< of the figure; empty for all of a result

  friend bool operator==(const FormulaSubject&, const FormulaSubject&) = default;
};

/// The formulas that a figure is about, the main one first: those of the experiment or of
/// the encodings that it shows, as ExperimentInfo::formulas_shown has it. Empty where there is
/// nothing to set.
std::vector<Formula> formulas_of(const FormulaSubject& subject);

/// The meaning of a symbol in those formulas, in a few words; empty for a symbol that explains
/// itself.
std::string_view symbol_meaning(const FormulaSubject& subject, std::string_view symbol);

}  // namespace orrery
