#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result reversal_with(std::vector<std::pair<std::string, std::string>> settings) {
  const Experiment& experiment = find_experiment("semantic_reversal");
  ParamSet params(experiment.info.params);
  for (const auto& [key, value] : settings) params.set(key, value);
  SilentProgress progress;
  return experiment.run(params, {}, progress);
}

}  // namespace

TEST_CASE("With base 10000, 32768 distances leave a preference no better than chance") {
  const Result result = reversal_with({});
  CHECK(scalar(result, "reversal_counted") == Approx(0.5).margin(0.05));
  CHECK(scalar(result, "reversal") == Approx(scalar(result, "reversal_counted")).margin(0.02));
  CHECK(scalar(result, "sensitivity") ==
        Approx(scalar(result, "sensitivity_counted")).epsilon(0.05));
  for (const Check& check : result.checks) CHECK(check.holds());
}

TEST_CASE("A larger base keeps preferences and gives up what a step of position changes") {
  const Result small = reversal_with({{"base", "10000"}});
  const Result large = reversal_with({{"base", "5000000"}});
  CHECK(scalar(large, "reversal_counted") < scalar(small, "reversal_counted") - 0.1);
  CHECK(scalar(large, "sensitivity_counted") < scalar(small, "sensitivity_counted"));
}

TEST_CASE("The key that is the query itself wins at every near distance") {
  const Result result = reversal_with({{"relevance", "1"}, {"context", "16"}, {"dim", "256"}});
  CHECK(scalar(result, "reversal_counted") == 0);
}

TEST_CASE("A scaling is shown beside the same frequencies without it") {
  const Result result = reversal_with({{"rope.scaling", "linear"}, {"rope.factor", "8"}});
  CHECK(scalar(result, "reversal_counted") < scalar(result, "unscaled_reversal_counted"));
  CHECK(result.checks.size() == 2);
  CHECK(std::get<LinePlot>(result.figures.at(0).content).series.size() == 4);
}

TEST_CASE("More distances than a run may take are refused") {
  CHECK_THROWS_WITH(reversal_with({{"context", "4194304"}, {"draws", "4096"}, {"dim", "512"}}),
                    Contains("lower context"));
}
