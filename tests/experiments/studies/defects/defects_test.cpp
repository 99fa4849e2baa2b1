#include <catch2/catch.hpp>

#include <cmath>

#include "core/errors.h"
#include "experiments/studies/experiments.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Result run_defects(const Settings& settings) {
  return run_experiment(defects_experiment(), settings);
}

}  // namespace

TEST_CASE("Short prompts pass where a scaling is skipped, and long ones do not") {
  const Result result = run_defects({{"defect", "scaling_skipped"}});
  check_all_hold(result);
  CHECK(scalar(result, "moved_at_0") == 0);
  CHECK(scalar(result, "moved_at_2") < 0.001);
  CHECK(scalar(result, "moved_at_16384") > 0.1);
  CHECK(scalar(result, "first_probe_that_shows") > 1000);
}

TEST_CASE("A common offset and a common permutation of rows change no weight") {
  for (const char* defect : {"off_by_one", "rows_permuted"}) {
    const Result result = run_defects({{"defect", defect}});
    INFO(defect);
    CHECK(scalar(result, "moved_at_16384") < 1e-12);
    CHECK(std::isnan(scalar(result, "first_probe_that_shows")));
  }
}

TEST_CASE("A decoded token at position 0 is off by the length of the prompt, but not at first") {
  const Result result = run_defects({{"defect", "decode_at_zero"}});
  CHECK(scalar(result, "moved_at_0") == 0);
  CHECK(scalar(result, "moved_at_4096") > 0.1);
}

TEST_CASE("A missing attention factor shows at once, because it multiplies all logits") {
  const Result result = run_defects({{"defect", "attention_factor_missing"}, {"scaling", "yarn"}});
  CHECK(scalar(result, "moved_at_0") == 0);  // one key has all of the weight
  CHECK(scalar(result, "first_probe_that_shows") == 1);
}

TEST_CASE("A defect without an occasion is refused with the remedy") {
  CHECK_THROWS_WITH(
      run_defects({{"defect", "attention_factor_missing"}}),
      Catch::Matchers::Contains("cannot be made") && Catch::Matchers::Contains("another scaling"));
}

TEST_CASE("The title says at which query a defect shows; curves that begin another are its marks") {
  const Result result = run_experiment(defects_experiment(), {{"defect", "scaling_skipped"}});
  const Figure& figure = result.figures.at(0);
  CHECK(figure.title ==
        "scaling_skipped moves 13 % of the weight of a query at 16384; it shows from 4095 on, not "
        "at 2");
  CHECK(std::get<LinePlot>(figure.content).series.size() == 1);
  CHECK(std::get<LinePlot>(figure.content).rules.size() == 3);
}
