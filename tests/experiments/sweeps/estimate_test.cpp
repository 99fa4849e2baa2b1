#include "experiments/sweeps/estimate.h"

#include <catch2/catch.hpp>

using namespace orrery;

namespace {

Plan plan_of(const std::string& values) {
  return make_plan(parse_sweep("experiment = \"long_term_decay\"\n" + values, "sweep.toml"), {});
}

}  // namespace

TEST_CASE(
    "An estimate stops in the middle of a point that takes too long, and says what it takes") {
  const Plan plan = plan_of("[params]\ndistance = 1\n[sweep]\nmax_distance = [90000, 100000]");
  /// Of a clock on which every point takes ten seconds.
  class Watch : public SilentProgress {
   public:
    void update(double fraction, std::string_view) override { seconds = 10 * fraction; }
    double seconds{0};
  } watch;
  const Estimate estimate =
      estimate_cost(plan, pointers_to(plan.points), 2, 2.0, watch, [&] { return watch.seconds; });
  CHECK(estimate.samples == 0);
  CHECK(estimate.partial >= 0.2);
  CHECK(estimate.partial < 0.9);
  CHECK(estimate.seconds == Approx(20.0));
  CHECK(estimate.memory > 0);
}

TEST_CASE("An estimate of points that end counts them all") {
  const Plan plan = plan_of("[sweep]\nmax_distance = [4, 5, 6, 7]");
  SilentProgress silent;
  const Estimate estimate = estimate_cost(plan, pointers_to(plan.points), 2, 60.0, silent);
  CHECK(estimate.samples == 2);
  CHECK(estimate.partial == 0);
  CHECK(estimate.bytes > 0);
}
