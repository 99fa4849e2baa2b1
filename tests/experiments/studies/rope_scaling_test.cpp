// Scalings of RoPE in the experiments: frequencies change, and with YaRN q and k grow.
#include <catch2/catch.hpp>

#include <cmath>

#include "experiments/studies/experiments.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Settings with_yarn(Settings settings) {
  for (const auto& [key, value] :
       Settings{{"rope.scaling", "yarn"}, {"rope.factor", "16"}, {"rope.original_length", "64"}})
    settings.push_back({key, value});
  return settings;
}

void check_all_hold(const Experiment& experiment, const Settings& settings,
                    const Inputs& inputs = {}) {
  INFO(experiment.info.name);
  const Result result = run_experiment(experiment, settings, inputs);
  CHECK_FALSE(result.checks.empty());
  for (const Check& c : result.checks) {
    INFO(c.name << ": " << c.measured << " against " << c.bound);
    CHECK(c.holds());
  }
}

constexpr double a_of_16 = 1.2772588722239782;  // 0.1 ln 16 + 1

}  // namespace

TEST_CASE("Every experiment with RoPE keeps its claims when YaRN stretches its frequencies") {
  check_all_hold(long_term_decay_experiment(),
                 with_yarn({{"dim", "64"}, {"max_distance", "300"}, {"assumption", "random"}}));
  check_all_hold(rotation_experiment(), with_yarn({{"dim", "32"}}));
  check_all_hold(encoding_matrix_experiment(),
                 with_yarn({{"encoding", "rope"}, {"dim", "32"}, {"positions", "64"}}));
  check_all_hold(relative_invariance_experiment(), with_yarn({{"encoding", "rope"}}));
  check_all_hold(score_decomposition_experiment(), with_yarn({{"encoding", "rope"}}),
                 text_input("Position enters attention by four doors."));
}

TEST_CASE("With YaRN norm_preservation shows the factor, and claims no orthogonal matrix") {
  const Result result = run_experiment(norm_preservation_experiment(),
                                       with_yarn({{"encoding", "rope"}, {"dim", "32"}}));
  CHECK(scalar(result, "rope_mean_ratio") == Approx(a_of_16));
  for (const Check& c : result.checks)
    CHECK(c.name.str().find("keeps_length") == std::string::npos);
}

TEST_CASE("With q = k = (1, …, 1) YaRN's logit at distance 0 is a² times √d") {
  const Result result =
      run_experiment(long_term_decay_experiment(),
                     with_yarn({{"dim", "64"}, {"max_distance", "10"}, {"encoding", "rope"}}));
  CHECK(column(result, "logit_rope")[0] == Approx(a_of_16 * a_of_16 * 8));
}
