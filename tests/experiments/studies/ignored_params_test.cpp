// A control that is dimmed because the figure on screen ignores it must be ignored by it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/studies/catalogue.h"
#include "tests/experiments/studies/moved_controls.h"
#include "tests/support/sampled.h"

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
  std::size_t scenes = 0;
  for (const Experiment* experiment : experiment_catalogue()) {
    const std::string& name = experiment->info.name;
    const Inputs inputs = test::some_inputs(*experiment);
    for (const ParamSet& settings : settings_of(*experiment)) {
      if (!test::is_tried(scenes++)) continue;
      const auto before = test::figures_of(*experiment, settings, inputs);
      for (const ParamSpec& spec : settings.specs()) {
        const auto is_ignored = [&](const auto& figure) {
          return ignores(experiment->info, figure.second.figure, spec, settings);
        };
        if (!settings.is_used(spec.key) || std::none_of(before.begin(), before.end(), is_ignored))
          continue;
        for (const ParamSet& changed : test::changes_of(settings, spec)) {
          const auto after = test::figures_of(*experiment, changed, inputs);
          for (const auto& [id, drawn] : before) {
            if (!after.count(id) || !ignores(experiment->info, drawn.figure, spec, settings))
              continue;
            INFO(name << ", " << id << ": " << spec.key << " = " << changed.to_text(spec.key));
            CHECK(after.at(id).content == drawn.content);
            tried.insert(name);
          }
        }
      }
    }
  }
  CHECK(tried.size() >= (test::all_is_tried() ? 14 : 6));  // the experiments of which that is said
}

/// Whether a figure of that name and encoding is said to ignore the parameter.
bool is_ignored(const Experiment& experiment, const FigureRole& role, const char* key,
                const ParamSet& params) {
  return ignores(experiment.info, {.role = role}, params.spec(key), params);
}

TEST_CASE("What a figure shows is not said to be ignored by it") {
  const auto ignored = [](const char* name, const FigureRole& role, const char* key) {
    const Experiment& experiment = find_experiment(name);
    return is_ignored(experiment, role, key, ParamSet(experiment.info.params));
  };
  CHECK(ignored("long_term_decay", {"decay_bound"}, "draws"));
  CHECK_FALSE(ignored("long_term_decay", {"decay_bound"}, "base"));
  CHECK_FALSE(ignored("long_term_decay", {"decay_bound"}, "distance"));
  CHECK(ignored("score_spectrogram", {"parts", {"rope"}}, "heads"));
  CHECK_FALSE(ignored("score_spectrogram", {"parts", {"alibi"}}, "heads"));
  CHECK_FALSE(ignored("score_spectrogram", {"parts", {"rope"}}, "context"));
  CHECK_FALSE(ignored("spectrum", {"wavelengths"}, "context"));
}

TEST_CASE("Heads are ignored as long as no encoding makes them differ") {
  const Experiment& experiment = find_experiment("score_spectrogram");
  ParamSet params(experiment.info.params);
  CHECK(is_ignored(experiment, {"mean_logit"}, "heads", params));
  params.set("encoding", "rope+alibi");
  CHECK_FALSE(is_ignored(experiment, {"mean_logit"}, "heads", params));
}

TEST_CASE("A parameter that has no effect on any number is ignored by every figure") {
  for (const Experiment* experiment : experiment_catalogue()) {
    ParamSet params(experiment->info.params);
    if (!params.has("rope.partial")) continue;
    INFO(experiment->info.name);
    CHECK(is_ignored(*experiment, {"any"}, "rope.partial", params));
    params.set("rope.fraction", "0.5");
    CHECK_FALSE(is_ignored(*experiment, {"any"}, "rope.partial", params));
  }
}

}  // namespace
}  // namespace orrery
