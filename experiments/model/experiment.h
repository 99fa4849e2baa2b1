#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/formula.h"
#include "core/params.h"
#include "experiments/model/inputs.h"
#include "experiments/model/progress.h"
#include "experiments/model/result.h"

namespace orrery {
class ArraySink;  // experiments/data/array_sink.h

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

/// How figures are laid out.
enum class ViewLayout { single, side_by_side, small_multiples };

/// What figures that are small multiples have in common.
enum class Grouping {
  none,
  by_kind,      ///< the weights of every encoding beside each other
  by_encoding,  ///< the terms of one encoding beside their sum
  by_page,      ///< the figures of one kind alone, which belong on a page
  stacked       ///< curves above a map of the same distances, everything else beside them
};

/// Settings by key, as ParamSet::set reads them.
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// How the figures of an experiment are shown until a user changes it. A figure is named by its
/// kind, or by its id where it is one of a kind.
struct ExperimentView {
  ViewLayout layout{ViewLayout::single};
  std::string left{};   ///< two figures that belong side by side
  std::string right{};  ///< empty: the first two
  /// The first figures of these names in place of all: that one, and beside it the others one above
  /// the other.
  std::vector<std::string> together{};
  Grouping grouping{Grouping::none};
  std::vector<std::string> controls{};  ///< keys of the parameters that matter most, that first
  /// Settings on which figures at a distance do not depend, and which save time.
  Overrides preview{};
  /// Titles of figures where there is room for a few words; others have their name in words.
  std::vector<std::pair<std::string, std::string>> tabs{};
};

/// A question that people come with, and the figure that answers it.
struct Question {
  std::string words{};
  std::string answer{};   ///< two sentences
  Overrides settings{};   ///< all other parameters are at their defaults
  std::string figure{};   ///< id; empty: the first
  std::string control{};  ///< the parameter to move, by its key; in `answer` by its symbol
};

/// Two files that are read together.
struct PairedFiles {
  std::string first{}, second{};  ///< keys of file parameters
  std::string reader{};           ///< what reads them: "attention"
  /// Whether two dropped files are offered to the experiment only while it is on screen.
  bool on_screen_only{};
};

/// Parameters that a figure shows the same whatever their values.
struct IgnoredParams {
  std::vector<std::string> figures{};  ///< by name, see ExperimentView; none: all
  std::string encoding{};              ///< of figures of this encoding alone; empty: of any
  std::vector<std::string> keys{};
  bool (*when)(const ParamSet&){nullptr};  ///< under which settings; null: all
};

/// Keys of the parameters by which an experiment computes a square part of its maps, in tokens.
struct MapPartParams {
  std::string side{};  ///< of the part; 0: the whole map
  std::string first_query{}, first_key{};
  std::string cells{};  ///< the most cells per side of a map
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
  ExperimentView view{};
  std::vector<Question> questions{};
  std::vector<PairedFiles> paired_files{};
  std::vector<IgnoredParams> ignored{};
  std::optional<MapPartParams> map_part{};
};

/// Whether a figure shows the same whatever value the parameter has, the others being set like
/// this: no head of RoPE differs from another. False where that is not known.
bool ignores(const ExperimentInfo& info, const Figure& figure, const ParamSpec& spec,
             const ParamSet& params);

/// What a run takes of memory, roughly and rather too much, as measured.
struct MemoryEstimate {
  double bytes{};        ///< 0 where it never takes much
  std::string remedy{};  ///< "lower max_distance"
};

/// A question with its computation.
struct Experiment {
  ExperimentInfo info{};
  /// Pure: no clock, no I/O, no global state; the same parameters and inputs give the same bytes on
  /// any thread. Begins with `check`. Throws what that throws, DataError (inputs of a wrong shape)
  /// and Stopped.
  std::function<Result(const ParamSet&, const Inputs&, Progress&)> run{};
  /// The same where arrays may be larger than memory: they go to the sink as they are computed, and
  /// the result has them without values. Empty where `run` alone computes.
  std::function<Result(const ParamSet&, const Inputs&, ArraySink&, Progress&)> stream{};
  /// Throws UsageError for parameters that contradict each other or ask for more work than a run
  /// may take. Takes no time. Empty where there is nothing to check.
  std::function<void(const ParamSet&, const Inputs&)> check{};
  /// Where arrays grow with what is asked for; empty where a run never takes much.
  std::function<MemoryEstimate(const ParamSet&)> memory{};
};

/// Its estimate; 0 bytes without one.
MemoryEstimate memory_of(const Experiment& experiment, const ParamSet& params);

}  // namespace orrery
