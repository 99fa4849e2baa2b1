// A control that is dimmed because the figure on screen ignores it must be ignored by it.
#include "experiments/studies/ignored_params.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "experiments/results/figure_json.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/experiment_run.h"
#include "tests/support/layers.h"

namespace orrery {
namespace {

/// Settings with which a run takes a millisecond or two.
test::Settings small_settings(const std::string& experiment) {
  static const std::map<std::string, test::Settings> all{
      {"score_spectrogram",
       {{"max_distance", "1024"},
        {"columns", "40"},
        {"dim", "16"},
        {"heads", "4"},
        {"context", "300"}}},
      {"long_term_decay", {{"max_distance", "64"}, {"dim", "16"}, {"draws", "4"}}},
      {"relative_invariance",
       {{"dim", "16"}, {"tokens", "8"}, {"span", "16"}, {"precision", "exact+eager_bf16"}}},
      {"attention_map", {{"max_tokens", "8"}, {"dim", "16"}}},
      {"score_decomposition",
       {{"max_tokens", "8"}, {"dim", "16"}, {"show", "equation+terms+sum+profiles+shares"}}},
      {"rotation", {{"dim", "32"}}},
      {"encoding_matrix",
       {{"dim", "16"},
        {"positions", "16"},
        {"show", "maps+cos_sin+profiles+staircases+index_maps"}}},
      {"spectrum", {{"dim", "32"}, {"search", "1024"}}},
      {"norm_preservation", {{"dim", "16"}, {"draws", "4"}}},
      {"linear_attention",
       {{"dim", "16"},
        {"tokens", "16"},
        {"favor_features", "32"},
        {"draws", "2"},
        {"most_features", "64"}}},
      {"sequence_length",
       {{"dim", "16"}, {"train_length", "32"}, {"max_length", "64"}, {"draws", "2"}}},
      {"equal_half_distance", {{"dim", "16"}}},
      {"model_layers", {{"context", "4096"}}},
      {"semantic_reversal", {{"dim", "16"}, {"context", "512"}, {"draws", "2"}}},
      {"identify", {{"dim", "16"}, {"tokens", "12"}}},
      {"defects", {{"dim", "16"}, {"draws", "2"}}},
      {"diagnosis", {}}};
  return all.at(experiment);
}

Inputs inputs_of(const Experiment& experiment) {
  const ParamSet params(experiment.info.params);
  return params.has("text") ? test::text_input("one two three four five six seven eight nine ten")
                            : Inputs{};
}

/// All that is drawn, without title and caption, which name the settings.
std::string content_of(const Figure& figure) {
  const auto fingerprint = [](const std::shared_ptr<const Array>& array, std::string_view) {
    std::size_t sum = 0;
    const auto add = [&](const auto& values) {
      for (const auto value : values)
        sum = 1000003 * sum + std::hash<double>()(static_cast<double>(value));
    };
    if (array) std::visit(add, array->values);
    return std::to_string(sum);
  };
  nlohmann::ordered_json json = results::figure_json(figure, fingerprint);
  json.erase("caption");
  json.erase("title");
  return json.dump();
}

/// By id; none for settings that contradict each other.
std::map<std::string, std::string> figures_of(const Experiment& experiment,
                                              const ParamSet& params) {
  std::map<std::string, std::string> contents;
  try {
    SilentProgress progress;
    const Result result = experiment.run(params, inputs_of(experiment), progress);
    for (const Figure& figure : result.figures) contents[figure.id] = content_of(figure);
  } catch (const UsageError&) {
  }
  return contents;
}

/// The settings with one value changed, unless it is refused.
void add_changed(std::vector<ParamSet>& all, const ParamSet& params, const std::string& key,
                 ParamValue value) {
  ParamSet changed = params;
  try {
    changed.set_value(key, std::move(value));
  } catch (const UsageError&) {
    return;
  }
  if (!(changed == params)) all.push_back(std::move(changed));
}

/// Other values of one parameter.
std::vector<ParamSet> changes_of(const ParamSet& params, const ParamSpec& spec) {
  std::vector<ParamSet> all;
  const auto add = [&](ParamValue value) { add_changed(all, params, spec.key, std::move(value)); };
  if (spec.kind == ParamKind::boolean) add(!params.boolean(spec.key));
  if (spec.kind == ParamKind::integer)
    for (const std::int64_t next : {2 * params.integer(spec.key), params.integer(spec.key) + 2})
      add(next);
  if (spec.kind == ParamKind::real) add(2 * params.real(spec.key));
  for (const Choice& choice : spec.choices)
    spec.kind == ParamKind::choice ? add(choice.name) : add(std::vector<std::string>{choice.name});
  return all;
}

/// The small settings, and those with each choice in turn.
std::vector<ParamSet> settings_of(const Experiment& experiment) {
  const ParamSet base = test::params_for(experiment, small_settings(experiment.info.name));
  std::vector<ParamSet> all{base};
  for (const ParamSpec& spec : base.specs()) {
    const bool general = spec.key.find('.') == std::string::npos;
    if (!general || spec.choices.empty() || spec.key == "show") continue;
    for (ParamSet& changed : changes_of(base, spec)) all.push_back(std::move(changed));
  }
  return all;
}

TEST_CASE("What a figure is said to ignore changes nothing in it, whatever else is chosen") {
  std::set<std::string> tried;
  for (const Experiment* experiment : studies::experiment_catalogue()) {
    const std::string& name = experiment->info.name;
    for (const ParamSet& settings : settings_of(*experiment)) {
      const auto before = figures_of(*experiment, settings);
      for (const ParamSpec& spec : settings.specs()) {
        const auto is_ignored = [&](const auto& figure) {
          return studies::is_ignored(name, figure.first, spec.key, settings);
        };
        if (!settings.is_used(spec.key) || std::none_of(before.begin(), before.end(), is_ignored))
          continue;
        for (const ParamSet& changed : changes_of(settings, spec)) {
          const auto after = figures_of(*experiment, changed);
          for (const auto& [id, content] : before) {
            if (!after.count(id) || !studies::is_ignored(name, id, spec.key, settings)) continue;
            INFO(name << ", " << id << ": " << spec.key << " = " << changed.to_text(spec.key));
            CHECK(after.at(id) == content);
            tried.insert(name);
          }
        }
      }
    }
  }
  CHECK(tried.size() == 10);  // the experiments of which that is said
}

TEST_CASE("What a figure shows is not said to be ignored by it") {
  const auto ignores = [](const std::string& experiment, const char* figure, const char* key) {
    const ParamSet params(studies::find_experiment(experiment).info.params);
    return studies::is_ignored(experiment, figure, key, params);
  };
  CHECK(ignores("long_term_decay", "decay_bound", "draws"));
  CHECK_FALSE(ignores("long_term_decay", "decay_bound", "base"));
  CHECK_FALSE(ignores("long_term_decay", "decay_bound", "distance"));
  CHECK_FALSE(ignores("score_spectrogram", "parts_rope", "context"));
  CHECK_FALSE(ignores("spectrum", "wavelengths", "context"));
}

TEST_CASE("Heads are ignored as long as no encoding makes them differ") {
  ParamSet params(studies::find_experiment("score_spectrogram").info.params);
  CHECK(studies::is_ignored("score_spectrogram", "mean_logit", "heads", params));
  params.set("encoding", "rope+alibi");
  CHECK_FALSE(studies::is_ignored("score_spectrogram", "mean_logit", "heads", params));
}

}  // namespace
}  // namespace orrery
