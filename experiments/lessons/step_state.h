#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/params.h"
#include "experiments/data/load_inputs.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/experiment.h"
#include "experiments/model/progress.h"
#include "experiments/text/guarded.h"

namespace orrery {

/// What is on the screen in a step: an experiment, its settings and how its figures are shown.
struct StepState {
  /// The settings text, as Ctrl+C copies it and the desktop's apply_settings_text reads it.
  std::string text{};
  const Experiment* experiment{};  ///< null until a state has been read
  ParamSet params{{}};
  std::string figure{};                       ///< id of the figure on top; empty: the first
  std::optional<ViewLayout> layout{};         ///< empty: as suits
  std::string second_figure{};                ///< id of the right one, side by side
  std::map<std::string, FigureView> views{};  ///< by figure id
};

/// Reads settings text: TOML with experiment = "…", optionally figure, layout and second_figure,
/// and the sections [params] and [view."FIGURE"] (figure_view_fields).
/// Throws UsageError naming key or value, with the nearest name; DataError for what is not TOML.
StepState read_state(std::string_view text);
/// The same, with each entry under the guard by its line of the text.
StepState read_state(std::string_view text, const Guarded& guarded);

/// The parameters with "key=value" words set. Throws UsageError as ParamSet::set does.
ParamSet with_words(const ParamSet& params, const std::vector<std::string>& words);

/// The command that computes the state: "orrery run long_term_decay base=500000". `out` is a
/// folder, or empty.
std::string command_of(const StepState& state, const std::string& out = {});

/// Results by experiment and settings: steps with equal settings share one computation.
class ResultCache {
 public:
  /// The result of a state. Throws what running the experiment throws.
  std::shared_ptr<const Result> result_of(const StepState& state, Progress& progress) {
    return result_of(state, {}, progress);
  }
  /// The same with "key=value" words in place of its settings.
  std::shared_ptr<const Result> result_of(const StepState& state,
                                          const std::vector<std::string>& words,
                                          Progress& progress);
  /// How many were computed.
  std::size_t computed() const { return results_.size(); }

 private:
  InputCache inputs_{};
  std::map<std::string, std::shared_ptr<const Result>> results_{};
};

}  // namespace orrery
