#include <catch2/catch.hpp>

#include <string>

#include "experiments/studies/experiments.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Result run_diagnosis(const Settings& settings) {
  return run_experiment(diagnosis_experiment(), settings);
}

}  // namespace

TEST_CASE("The search names the defect of every broken program of the gallery") {
  for (int number = 1; number <= 12; ++number) {
    const Result result = run_diagnosis({{"case", std::to_string(number)}});
    INFO("case " << number);
    check_all_hold(result);
    CHECK(scalar(result, "residual_as_configured") > 40);
  }
}

TEST_CASE("The gallery's vectors follow from the seed, its answers do not") {
  const Result first = run_diagnosis({{"case", "4"}, {"seed", "1"}});
  const Result second = run_diagnosis({{"case", "4"}, {"seed", "2"}});
  CHECK(scalar(first, "is_cache_off_by_one") == 1);
  CHECK(scalar(second, "is_cache_off_by_one") == 1);
  CHECK(scalar(first, "residual_as_configured") != scalar(second, "residual_as_configured"));
}
