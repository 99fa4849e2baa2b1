// A control that is dimmed because the figure on screen ignores it must be ignored by it.
#include "experiments/studies/ignored_params.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/studies/catalogue.h"
#include "tests/experiments/studies/moved_controls.h"
#include "tests/support/layers.h"

namespace orrery {
namespace {

/// The small settings, and those with each choice in turn.
std::vector<ParamSet> settings_of(const Experiment& experiment) {
  const ParamSet base = test::small_params(experiment);
  std::vector<ParamSet> all{base};
  for (const ParamSpec& spec : base.specs()) {
    const bool general = spec.key.find('.') == std::string::npos;
    if (!general || spec.choices.empty() || spec.key == "show") continue;
    for (ParamSet& changed : test::changes_of(base, spec)) all.push_back(std::move(changed));
  }
  return all;
}

TEST_CASE("What a figure is said to ignore changes nothing in it, whatever else is chosen") {
  std::set<std::string> tried;
  for (const Experiment* experiment : studies::experiment_catalogue()) {
    const std::string& name = experiment->info.name;
    const Inputs inputs = test::some_inputs(*experiment);
    for (const ParamSet& settings : settings_of(*experiment)) {
      const auto before = test::figures_of(*experiment, settings, inputs);
      for (const ParamSpec& spec : settings.specs()) {
        const auto is_ignored = [&](const auto& figure) {
          return studies::is_ignored(name, figure.first, spec.key, settings);
        };
        if (!settings.is_used(spec.key) || std::none_of(before.begin(), before.end(), is_ignored))
          continue;
        for (const ParamSet& changed : test::changes_of(settings, spec)) {
          const auto after = test::figures_of(*experiment, changed, inputs);
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
  CHECK(tried.size() >= 14);  // the experiments of which that is said
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
