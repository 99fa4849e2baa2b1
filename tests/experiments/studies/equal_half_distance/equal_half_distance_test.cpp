#include "experiments/studies/experiments.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Result run_equal_half_distance(const Settings& settings, const Inputs& inputs = {}) {
  return run_experiment(equal_half_distance_experiment(), settings, inputs);
}

std::string note(const Result& result, std::size_t row) {
  return std::get<std::vector<std::string>>(result.tables.at(0).columns.back().values).at(row);
}

}  // namespace

TEST_CASE("Settings of equal half distance equal 30-digit roots") {
  const nlohmann::json file = golden("half_distance.json");
  for (const auto& c : file.at("cases")) {
    std::string encodings;
    for (const char* name : {"rope", "alibi", "t5", "sinusoidal"})
      if (c.contains(name)) encodings += (encodings.empty() ? "" : "+") + std::string(name);
    const Result result =
        run_equal_half_distance({{"encoding", encodings},
                                 {"dim", c.at("dim").dump()},
                                 {"half_distance", c.at("half_distance").dump()},
                                 {"match", c.at("match").dump()},
                                 {"measure", c.at("measure").get<std::string>()}});
    for (const char* name : {"rope", "alibi", "t5", "sinusoidal"}) {
      if (!c.contains(name)) continue;
      INFO(c.dump() << " " << name);
      CHECK(scalar(result, std::string(name) + "_setting") ==
            Approx(c.at(name).get<double>()).epsilon(1e-11));
    }
    if (c.contains("rope_given"))
      CHECK(scalar(result, "rope_given_half_distance") ==
            Approx(c.at("rope_given").get<double>()).epsilon(1e-12));
    for (const Check& check : result.checks) CHECK(check.holds());
  }
}

TEST_CASE("Every curve found is one half at the half distance, and 1 at 0") {
  const Result result =
      run_equal_half_distance({{"encoding", "rope+alibi+t5"}, {"half_distance", "50"}});
  for (const char* name : {"equal_rope", "equal_alibi", "equal_t5"}) {
    CHECK(column(result.tables.at(1), name)[0] == Approx(1).epsilon(1e-14));
    CHECK(column(result.tables.at(1), name)[50] == Approx(0.5).epsilon(1e-10));
  }
  CHECK(column(result.tables.at(1), "equal_alibi")[100] == Approx(0).margin(1e-12));
}

TEST_CASE(
    "Where RoPE's curve is one half before the half distance, scalar, check and legend say so") {
  const Result result = run_equal_half_distance({{"encoding", "rope+alibi"}});
  const double first = scalar(result, "rope_first_half_distance");
  CHECK(first == Approx(38.59).margin(0.01));
  CHECK(scalar(result, "alibi_first_half_distance") == Approx(64));
  const auto contains = Catch::Matchers::Contains("first at r = 38.59");
  CHECK_THAT(check(result, "rope_is_halved").statement,
             Catch::Matchers::Contains("first at $r$ = 38.59"));
  CHECK_THAT(content_of<LinePlot>(result, "equal_half_distance").series.at(0).name, contains);
  CHECK_THAT(check(result, "alibi_is_halved").statement, !Catch::Matchers::Contains("first at"));
}

TEST_CASE("ALiBi as given is halved at L_c/(2 s), each head at its own distance") {
  for (const auto& [head, slope] : {std::pair{"0", 0.5}, {"3", 0.0625}, {"4", 0.03125}})
    CHECK(scalar(run_equal_half_distance({{"encoding", "alibi"}, {"head", head}}),
                 "alibi_given_half_distance") == Approx(8 / (2 * slope)));
}

TEST_CASE("What never falls to one half is said, not hidden") {
  const Result result = run_equal_half_distance({{"encoding", "none+shaw+sinusoidal"}});
  for (const char* name : {"none", "shaw", "sinusoidal"})
    CHECK(std::isnan(scalar(result, std::string(name) + "_setting")));
  CHECK(note(result, 0) == "no position in its mean logit");
  CHECK(note(result, 1) == "no decay before training");
  CHECK(note(result, 2).find("never") == 0);
  for (const Check& check : result.checks) CHECK(check.holds());
  // The mean of q·a over contents is 0: the curve of Shaw is flat.
  for (const double v : column(result.tables.at(1), "given_shaw")) CHECK(v == Approx(1));
}

TEST_CASE("A distance that falls too early at every base is said") {
  const Result result = run_equal_half_distance(
      {{"encoding", "rope"}, {"measure", "weight"}, {"match", "100"}, {"half_distance", "64"}});
  CHECK(note(result, 0) == "below one half at r = 64 at every setting");
  CHECK(result.checks.at(0).holds());
}

TEST_CASE("A trained table is scaled, not replaced") {
  Tensor table{"t.npy", {32, 8}, std::vector<double>(256, 0.0)};
  for (std::size_t b = 0; b < 32; ++b) table.values[b * 8 + 4] = -0.5 * static_cast<double>(b);
  const Result result =
      run_equal_half_distance({{"encoding", "t5"}, {"half_distance", "4"}}, {{"t5_table", table}});
  // Distance 4 has bucket 4 and bias −2: 8 − 2c = 4.
  CHECK(scalar(result, "t5_setting") == Approx(2).epsilon(1e-12));
}

TEST_CASE("A position that a table does not know has no value and no claim") {
  const Result result =
      run_equal_half_distance({{"encoding", "learned"}, {"learned.length", "32"}});
  CHECK(note(result, 0) == "no decay before training");
  CHECK(result.checks.empty());
  CHECK(std::isnan(column(result.tables.at(1), "given_learned")[32]));
}

TEST_CASE("A half distance beyond the plot and a head that is not there are refused") {
  CHECK_THROWS_AS(run_equal_half_distance({{"half_distance", "300"}}), UsageError);
  CHECK_THROWS_AS(run_equal_half_distance({{"head", "8"}}), UsageError);
}
