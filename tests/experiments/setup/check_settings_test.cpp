// What every experiment refuses before it computes anything.
#include "experiments/setup/provenance.h"

#include <catch2/catch.hpp>

#include <algorithm>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// Fails on the first report: nothing may have been begun.
class NothingBegun : public Progress {
 public:
  void update(double, std::string_view stage) override { FAIL("begun: " << stage); }
  bool stop_requested() const override { return false; }
};

void run_without_work(const Experiment& experiment, const Settings& settings) {
  const ParamSet params = params_for(experiment, settings);
  NothingBegun progress;
  experiment.run(params, load_inputs(params).inputs, progress);
}

bool takes(const Experiment& experiment, const std::string& encoding) {
  const ParamSet params(experiment.info.params);
  if (!params.has("encoding")) return false;
  const auto& choices = params.spec("encoding").choices;
  return std::any_of(choices.begin(), choices.end(),
                     [&](const Choice& choice) { return choice.name == encoding; });
}

struct Contradiction {
  const char* encoding;
  Settings settings;
  const char* message;
};

const std::vector<Contradiction>& contradictions() {
  static const std::vector<Contradiction> all{
      {"t5",
       {{"t5.max_distance", "5"}},
       "t5.max_distance=5 with t5.buckets=32: max_distance must exceed 8"},
      {"deberta",
       {{"deberta.version", "v2"}, {"deberta.span", "327"}, {"deberta.max_distance", "8"}},
       "deberta.max_distance=8 with deberta.span=327: max_distance must be 165 or more"},
      {"deberta",
       {{"deberta.version", "v2"}, {"deberta.span", "3"}},
       "deberta.span=3 with deberta.version=v2"},
      {"kerple",
       {{"kerple.variant", "power"}, {"kerple.r2", "3"}},
       "kerple.r2=3 with kerple.variant=power: must be at most 2"},
      {"rope", {{"rope.fraction", "0.01"}}, "rope.fraction=0.01"},
      {"shaw",
       {{"shaw.clip", "65536"}, {"dim", "4096"}},
       "shaw.key_table of shape [131073, 4096]: has"}};
  return all;
}

/// Takes one encoding: there is no second that is computed later.
bool asks_of_one(const Experiment& experiment) {
  return ParamSet(experiment.info.params).spec("encoding").kind != ParamKind::choice_list;
}

}  // namespace

TEST_CASE("Contradictory parameters are refused with their full keys before any work, everywhere") {
  for (const Experiment* experiment : experiment_catalogue()) {
    for (const Contradiction& c : contradictions()) {
      if (!takes(*experiment, c.encoding) || asks_of_one(*experiment)) continue;
      INFO(experiment->info.name << " " << c.encoding);
      // Last of two: the first must not be computed before the second is refused.
      const std::string first = std::string(c.encoding) == "rope" ? "sinusoidal" : "rope";
      Settings settings{{"encoding", first + "+" + c.encoding}};
      if (experiment->info.name == "attention_map") settings = with_random_contents(settings);
      settings.insert(settings.end(), c.settings.begin(), c.settings.end());
      CHECK_THROWS_WITH(run_without_work(*experiment, settings), Contains(c.message));
    }
  }
}

TEST_CASE("A head that is not there, lengths and distances are refused before any work") {
  const auto refused = [](const char* name, const Settings& settings, const char* message) {
    INFO(name);
    CHECK_THROWS_WITH(run_without_work(find_experiment(name), settings), Contains(message));
  };
  for (const char* name : {"attention_map", "score_decomposition", "encoding_matrix",
                           "sequence_length", "equal_half_distance"})
    refused(name, {{"heads", "2"}, {"head", "2"}}, "head=2: must be below heads=2");
  refused("sequence_length", {{"window", "64"}, {"train_length", "32"}}, "window=64");
  refused("equal_half_distance", {{"half_distance", "512"}}, "half_distance=512");
  refused("encoding_matrix", {{"encoding", "rope+learned"}, {"learned.length", "64"}},
          "learned.length=64 with positions up to 127");
  refused("attention_map",
          {{"encoding", "rope+tupe"}, {"tupe.length", "64"}, {"first_position", "60"}},
          "tupe.length=64 with positions up to 107");
}

TEST_CASE("Work beyond what one run may take is refused with its size and the remedy") {
  CHECK_NOTHROW(check_operations("a=1", most_operations, "lower a"));
  CHECK_THROWS_WITH(check_operations("a=1", 2 * most_operations, "lower a"),
                    Contains("a=1: takes ") && Contains("; lower a"));
}

TEST_CASE("Encodings that take far longer than a rotation are refused where they would") {
  const auto refused = [](const char* name, const Settings& settings, const char* message) {
    INFO(name);
    CHECK_THROWS_WITH(run_without_work(find_experiment(name), settings), Contains(message));
  };
  for (const char* encoding : {"pope", "grape_multiplicative"})
    refused("score_spectrogram",
            {{"encoding", encoding}, {"dim", "1024"}, {"max_distance", "131072"}},
            "lower max_distance");
  refused("score_spectrogram",
          {{"encoding", "grape_additive"}, {"dim", "1024"}, {"max_distance", "131072"}},
          "lower max_distance");
  refused("sequence_length", {{"encoding", "pope"}, {"dim", "1102"}}, "lower max_length");
}
