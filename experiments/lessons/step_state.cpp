#include "experiments/lessons/step_state.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/figure/plot/figure_view_toml.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/model_names.h"
#include "experiments/text/printable.h"
#include "experiments/text/shell_quote.h"
#include "experiments/text/toml_fields.h"

namespace orrery {
namespace {

void set_experiment(StepState& state, const std::string& name) {
  state.experiment = &find_experiment(name);
  state.params = ParamSet(state.experiment->info.params);
}

/// Without an experiment no parameter has a meaning.
void read_params(StepState& state, const toml::node& node, const Guarded& guarded) {
  if (state.experiment) params_field("params", &StepState::params).read(state, node, guarded);
}

const TomlFields<StepState>& state_fields() {
  static const TomlFields<StepState> fields{
      field_read<StepState>("experiment", toml_text(), set_experiment),
      field("figure", &StepState::figure, toml_text()),
      field("layout", &StepState::layout, toml_name(layout_names(), "a layout")),
      field("second_figure", &StepState::second_figure, toml_text()),
      {"params", read_params},
      section_field("view", &StepState::views, figure_view_fields())};
  return fields;
}

}  // namespace

std::shared_ptr<const Result> ResultCache::result_of(const StepState& state,
                                                     const std::vector<std::string>& words,
                                                     Progress& progress) {
  if (!state.experiment)
    throw UsageError("the step", "has no state", "write a block ```state here or in a step before");
  const ParamSet params = with_words(state.params, words);
  const std::string key =
      fmt::format("{} {}", state.experiment->info.name, fmt::join(params.overrides(), " "));
  std::shared_ptr<const Result>& result = results_[key];
  if (!result) {
    const auto loaded = inputs_.load(params);
    result =
        std::make_shared<const Result>(state.experiment->run(params, loaded->inputs, progress));
  }
  return result;
}

StepState read_state(std::string_view text, const Guarded& guarded) {
  StepState state{.text = std::string(text)};
  toml::table table;
  try {
    table = parse_toml(text, "the state");
  } catch (const TomlFault& fault) {
    guarded(fault.line(), [] { throw; });
    return state;
  }
  if (!table.contains("experiment"))
    guarded(1, [] {
      throw UsageError("the state", "names no experiment", "begin with experiment = \"…\"");
    });
  read_fields(state, state_fields(), table, "a key of a state", guarded);
  if (state.experiment) guarded(1, [&] { state.params.require_all_set_are_used(); });
  return state;
}

StepState read_state(std::string_view text) { return read_state(text, unguarded); }

ParamSet with_words(const ParamSet& params, const std::vector<std::string>& words) {
  ParamSet changed = params;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw UsageError(in_quotes(word), "is not KEY=VALUE", "write for instance base=500000");
    changed.set(word.substr(0, equals), word.substr(equals + 1));
  }
  return changed;
}

std::string command_of(const StepState& state, const std::string& out) {
  if (!state.experiment) return "";
  std::vector<std::string> words{"orrery", "run", state.experiment->info.name};
  for (const std::string& word : state.params.overrides()) words.push_back(word);
  if (!out.empty()) words.insert(words.end(), {"--out", out});
  return shell_line(words);
}

}  // namespace orrery
