#include <catch2/catch.hpp>
#include <string>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/studies/catalogue.h"
#include "tests/heads/hand_built.h"
#include "tests/support/experiment_run.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result reach_of(const Settings& settings) {
  const Experiment& experiment = find_experiment("reach");
  return run_experiment(experiment, settings, load_inputs(params_for(experiment, settings)).inputs);
}

}  // namespace

TEST_CASE("A model made by hand reads back to where a token came before, and no farther") {
  const TempFolder folder;
  const HandBuilt built(folder);
  // What followed a token came 6 before: a context of 8 has both, one of 4 has neither.
  std::vector<std::int32_t> text;
  for (std::int32_t i = 0; i < 36; ++i) text.push_back(1 + i % 6);
  const Result result = reach_of({{"model", built.path().string()},
                                  {"tokens", ids_file(folder, text)},
                                  {"parts", "1"},
                                  {"targets", "1"},
                                  {"precision", "exact"}});
  const auto loss = column(table(result, "contexts"), "loss");
  REQUIRE(loss.size() == 6);
  CHECK(loss[2] > 1);
  CHECK(loss[4] == Approx(0).margin(1e-6));
  CHECK(content_of<LinePlot>(result, "reach").series.front().y == loss);
}

TEST_CASE("The reach of the model that comes with Orrery is that of its passport's texts") {
  const Result result = reach_of({{"parts", "4"}, {"length", "32"}, {"targets", "4"}});
  check_all_hold(result);
  CHECK(scalar(result, "reach") >= 1);
  CHECK_THROWS_WITH(reach_of({{"length", "8"}, {"targets", "8"}}), Contains("longer texts"));
}
