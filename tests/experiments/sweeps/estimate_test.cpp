#include "experiments/sweeps/estimate.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/support/layers.h"

using namespace orrery;

namespace {

Plan plan_of(const std::string& values) {
  return make_plan(parse_sweep("experiment = \"long_term_decay\"\n" + values, "sweep.toml"), {});
}

}  // namespace

TEST_CASE(
    "An estimate stops in the middle of a point that takes too long, and says what it takes") {
  const Plan plan = plan_of("[params]\ndistance = 1\n[sweep]\nmax_distance = [900000, 1000000]");
  SilentProgress silent;
  constexpr double seconds = 0.2, long_after = 2.0;
  const auto start = std::chrono::steady_clock::now();
  const Estimate estimate = estimate_cost(plan, plan.own_points(), 2, seconds, silent);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  CHECK(taken.count() < long_after);
  CHECK(estimate.samples == 0);
  CHECK(estimate.partial > 0);
  CHECK(estimate.partial < 0.9);
  CHECK(estimate.seconds > 2 * seconds);
  CHECK(estimate.memory > 0);
}

TEST_CASE("An estimate of points that end counts them all") {
  const Plan plan = plan_of("[sweep]\nmax_distance = [4, 5, 6, 7]");
  SilentProgress silent;
  const Estimate estimate = estimate_cost(plan, plan.own_points(), 2, 60.0, silent);
  CHECK(estimate.samples == 2);
  CHECK(estimate.partial == 0);
  CHECK(estimate.bytes > 0);
}
