#include "experiments/setup/pipelined_name.h"

#include <catch2/catch.hpp>

#include "experiments/studies/experiments.h"
#include "tests/support/layers.h"

using namespace orrery;

TEST_CASE("A name tells its pipeline, the longest where one contains another") {
  const ParamSet params(relative_invariance_experiment().info.params);
  const std::vector<Choice>& pipelines = params.spec("precision").choices;
  CHECK(pipelines.size() == 7);
  for (const Choice& pipeline : pipelines)
    CHECK(pipeline_in(pipelined_name("transformer_xl", pipeline.name, "largest_ulp")) ==
          pipeline.name);
  CHECK(pipelined_name("rope", "exact_fp32", "largest_ulp") == "rope_exact_fp32_largest_ulp");
  CHECK_FALSE(pipeline_in("rope_largest_change_ulp"));
  CHECK_FALSE(pipeline_in("exactly"));
}
