#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/formula.h"
#include "experiments/model/result.h"

namespace orrery {

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
