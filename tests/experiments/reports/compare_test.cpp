#include "experiments/reports/compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/results/table_json.h"
#include "tests/experiments/results/example_result.h"
#include "tests/support/sweep_fixture.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t beyond = std::numeric_limits<std::uint64_t>::max();

std::vector<test::FixturePoint> repeats_of(const std::vector<double>& scores,
                                           const std::string& base, char first) {
  std::vector<test::FixturePoint> points;
  for (std::size_t i = 0; i < scores.size(); ++i)
    points.push_back({std::string(12, static_cast<char>(first + static_cast<char>(i))),
                      "repeat=" + std::to_string(i),
                      {{"base", base}, {"seed", std::to_string(first + static_cast<int>(i))}},
                      static_cast<int>(i),
                      "",
                      scores[i]});
  return points;
}

}  // namespace

TEST_CASE("The distance in ulp counts doubles, across 0 too") {
  CHECK(ulp_distance(1.0, 1.0) == 0);
  CHECK(ulp_distance(1.0, std::nextafter(1.0, 2.0)) == 1);
  CHECK(ulp_distance(-0.0, 0.0) == 0);
  CHECK(ulp_distance(-5e-324, 5e-324) == 2);
  CHECK(ulp_distance(not_a_number, -not_a_number) == 0);
  CHECK(ulp_distance(not_a_number, 1.0) == beyond);
  CHECK(ulp_distance(1.0, 2.0) == std::uint64_t{1} << 52);
  CHECK(ulp_distance(-std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::infinity()) == 0xffe0000000000000u);
}

TEST_CASE("A result is the same as itself, NaN and all") {
  const ResultComparison found = compare_results(example_result(), example_result());
  CHECK(found.same_numbers());
  CHECK(found.settings.empty());
  CHECK(found.scalars.size() == 2);
}

TEST_CASE("Every kind of difference between two results is found and named") {
  const Result a = example_result();
  Result b = a;
  b.provenance.params[0].second = "128";
  b.provenance.params.emplace_back("base", "10");
  b.scalars[0].value = std::nextafter(0.1, 1.0);
  b.checks[0].measured = 0.75;
  std::get<std::vector<double>>(b.tables[0].columns[1].values)[0] = 0.5;
  auto weights = std::make_shared<Array>(*b.arrays[0]);
  std::get<std::vector<float>>(weights->values)[3] = 0.25f;
  b.arrays[0] = weights;
  std::get<LinePlot>(b.figures[0].content).series[0].y[0] = not_a_number;
  b.scalars.push_back({"new", "", "", 1.0, ""});
  const ResultComparison found = compare_results(a, b);
  CHECK_FALSE(found.same_numbers());
  REQUIRE(found.settings.size() == 2);
  CHECK(found.settings[0].name == "base");
  CHECK(found.settings[0].a.empty());
  CHECK(found.settings[1].b == "128");
  CHECK(ulp_distance(found.scalars[0].a, found.scalars[0].b) == 1);
  CHECK(found.scalars[0].relative() == Approx(1.388e-16).epsilon(1e-3));
  REQUIRE(found.checks.size() == 1);
  CHECK(found.checks[0].holds_a);
  CHECK_FALSE(found.checks[0].holds_b);
  REQUIRE(found.data.size() == 3);
  CHECK(found.data[0].name == "tables/by_encoding: distance");
  CHECK(found.data[0].differing == 1);
  CHECK(found.data[0].largest == Approx(0.5 - 1.0 / 3));
  CHECK(found.data[1].name == "arrays/weights");
  CHECK(found.data[1].largest == 0.25);
  CHECK(found.data[2].name == "figures/decay: RoPE");
  CHECK(std::isnan(found.data[2].largest));
  CHECK(found.only_b == std::vector<std::string>{"scalar new"});
}

TEST_CASE("Other shapes, lengths and types are differences, not errors") {
  const Result a = example_result();
  Result b = a;
  b.arrays[0] = std::make_shared<const Array>(
      Array{.name = "weights", .shape = {4}, .values = std::vector<double>{1, 0, 0.5, 0.5}});
  b.tables[0].columns[0].values = std::vector<double>{1, 2};
  b.tables[0].columns[1].values = std::vector<double>{1};
  const ResultComparison found = compare_results(a, b);
  REQUIRE(found.data.size() == 3);
  CHECK(found.data[0].other == "numbers in one, text in the other");
  CHECK(found.data[1].other == "2 rows, 1 rows");
  CHECK(found.data[2].other == "[2, 2] of float32, [4] of float64");
}

TEST_CASE("Points are matched by id, and what is only in one sweep is said") {
  const TempFolder temp;
  auto points = test::fixture_points();
  test::write_sweep(temp.path() / "a", {"dim", "base"}, points);
  CHECK(compare_folders(temp.path() / "a", temp.path() / "a").same_numbers());
  points[1].score = 2.5;
  points[3].error.clear();
  points.erase(points.begin());
  test::write_sweep(temp.path() / "b", {"dim", "base"}, points);
  const Comparison found = compare_folders(temp.path() / "a", temp.path() / "b");
  CHECK_FALSE(found.same_numbers());
  CHECK(found.sweep.matched == 3);
  CHECK(found.sweep.only_a == std::vector<std::string>{"dim=8 base=10 (aaaaaaaaaaaa)"});
  REQUIRE(found.sweep.differing.size() == 2);
  CHECK(found.sweep.differing[0].result.scalars[0].difference() == 0.5);
  CHECK(found.sweep.differing[1].status_a == PointStatus::failed);
  CHECK(found.sweep.differing[1].status_b == PointStatus::done);
  const std::string text = comparison_text(found);
  CHECK_THAT(text, Contains("3 points in both, 2 of them differ") &&
                       Contains("only in A: dim=8 base=10") && Contains("failed in A, done in B"));
}

TEST_CASE("Points whose long tables alone differ are not called equal") {
  const TempFolder temp;
  const std::vector<test::FixturePoint> points{test::fixture_points()[0]};
  for (const char* name : {"a", "b"}) {
    test::write_sweep(temp.path() / name, {"dim", "base"}, points);
    std::vector<double> values(most_rows_in_json + 1, 1.0);
    if (*name == 'b') values.back() = std::nextafter(1.0, 2.0);
    Result result = test::fixture_result(points[0]);
    result.tables = {{"long", "", {{"n", "", values}}}};
    write_result(result, {}, write_options(temp.path() / name / "points" / points[0].id, {}));
  }
  const Comparison found = compare_folders(temp.path() / "a", temp.path() / "b");
  CHECK_FALSE(found.same_numbers());
  REQUIRE(found.sweep.differing.size() == 1);
  CHECK(compare_folders(temp.path() / "a", temp.path() / "a").same_numbers());
}

TEST_CASE("Sweeps that differ in one setting are matched by the others, repeats by Welch's t") {
  const TempFolder temp;
  test::write_sweep(temp.path() / "a", {}, repeats_of({0.5, 0.25}, "10", 'a'), 2);
  test::write_sweep(temp.path() / "b", {}, repeats_of({-3.0, 8.0, 1.0}, "20", 'k'), 3);
  const Comparison found = compare_folders(temp.path() / "a", temp.path() / "b");
  REQUIRE(found.sweep.settings.size() == 1);
  CHECK(found.sweep.settings[0].name == "base");
  CHECK(found.sweep.matched == 2);
  CHECK(found.sweep.only_b.size() == 1);
  REQUIRE(found.sweep.repeats.size() == 1);
  const SweepComparison::Repeats& repeats = found.sweep.repeats[0];
  CHECK(repeats.scalar == "score");
  CHECK(repeats.a.n == 2);
  CHECK(repeats.b.mean == Approx(2.0));
  CHECK(repeats.test.t == Approx(0.505132).epsilon(1e-5));  // tests/golden/welch.json, last case
  const auto json = to_json(found);
  CHECK(json["sweep"]["repeats"][0]["degrees_of_freedom"].get<double>() ==
        Approx(repeats.test.degrees));
  CHECK(json["same_numbers"] == false);
}

TEST_CASE("A sweep and a result are not compared, and what is damaged is named") {
  const TempFolder temp;
  const auto sweep = temp.path() / "sweep";
  test::write_sweep(sweep, {"dim", "base"}, test::fixture_points());
  CHECK_THROWS_AS(compare_folders(sweep, sweep / "points/aaaaaaaaaaaa"), UsageError);
  temp.file("sweep/points/bbbbbbbbbbbb/result.json", "{}");
  const Comparison found = compare_folders(sweep, sweep);
  CHECK_FALSE(found.same_numbers());
  REQUIRE(found.sweep.not_compared.size() == 2);
  CHECK_THAT(found.sweep.not_compared[0],
             Contains("A: point ") && Contains("bbbbbbbbbbbb/result.json: is damaged"));
  std::filesystem::remove(sweep / "results.jsonl");
  CHECK_THROWS_AS(compare_folders(sweep, sweep), DataError);
}
