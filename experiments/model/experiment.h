#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/formula.h"
#include "core/params.h"
#include "experiments/model/inputs.h"
#include "experiments/model/progress.h"
#include "experiments/model/result.h"

namespace orrery::model {

/// Whose formulas the figures of an experiment show.
enum class FormulasShown {
  own,                 ///< the experiment's
  of_encodings,        ///< what each encoding shown adds, turns or puts between two tokens
  scores_of_encodings  ///< the logits of each encoding shown
};

/// Formulas that stand in place of an experiment's own while a parameter has a value.
struct FormulasOfChoice {
  std::string key{};    ///< "measure"
  std::string value{};  ///< "weight"
  std::vector<Formula> formulas{};
};

struct ExperimentInfo {
  std::string name{};      ///< "long_term_decay"
  int version{1};          ///< raised whenever the same parameters would give other numbers
  std::string title{};     ///< "Long-term decay"
  std::string question{};  ///< what it answers, one sentence ending in "?"
  std::vector<Formula> formulas{};  ///< the main one first
  std::vector<FormulasOfChoice> formulas_of_choices{};
  FormulasShown formulas_shown{FormulasShown::own};
  std::vector<SymbolMeaning> symbols{};
  std::vector<ParamSpec> params{};
};

/// A question with its computation.
struct Experiment {
  ExperimentInfo info{};
  /// Pure: no clock, no I/O, no global state; the same parameters and inputs give the same bytes on
  /// any thread. Begins with `check`. Throws what that throws, DataError (inputs of a wrong shape)
  /// and Stopped.
  std::function<Result(const ParamSet&, const Inputs&, Progress&)> run{};
  /// Throws UsageError for parameters that contradict each other or ask for more work than a run
  /// may take. Takes no time. Empty where there is nothing to check.
  std::function<void(const ParamSet&, const Inputs&)> check{};
};

}  // namespace orrery::model
