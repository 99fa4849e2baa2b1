#include "experiments/combine/family.h"

#include <catch2/catch.hpp>
#include <string>

#include "experiments/combine/combine.h"

using namespace orrery;

namespace {

Series series(std::string name, double slope) {
  return {.name = std::move(name), .x = {1, 2}, .y = {slope, 2 * slope}};
}

std::shared_ptr<const Result> result_at(const std::string& base, std::vector<Series> curves) {
  Result result{.provenance = {.experiment = "long_term_decay",
                               .params = {{"encoding", "rope+alibi"}, {"base", base}}}};
  result.figures.push_back(
      {.id = "f", .title = "F", .content = LinePlot{.series = std::move(curves)}});
  Heatmap map{
      .values = std::make_shared<const Array>(
          Array{.name = "m", .shape = {1, 2}, .values = std::vector<double>{0, std::stod(base)}})};
  result.figures.push_back({.id = "m", .title = "M", .content = std::move(map)});
  return std::make_shared<const Result>(std::move(result));
}

}  // namespace

TEST_CASE(
    "A family has a curve per value in order, and one for an encoding that does not read it") {
  Results results;
  for (const char* base : {"1000", "100", "10000"})
    results.push_back(result_at(base, {series("RoPE", std::stod(base)), series("ALiBi", 5)}));
  const auto figures = family(results, "f", "base");
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].id == "f");
  const auto& plot = std::get<LinePlot>(figures[0].content);
  REQUIRE(plot.series.size() == 4);
  CHECK(plot.series[0].name == "base = 100, RoPE");
  CHECK(plot.series[0].shade == 0.0);
  CHECK(plot.series[2].name == "base = 10\u2009000, RoPE");
  CHECK(plot.series[2].shade == 1.0);
  CHECK(plot.series[3].name == "any base, ALiBi");
  CHECK(plot.series[3].y == std::vector<double>{5, 10});
  CHECK(plot.series[3].style == LineStyle::dashed);
  CHECK(plot.series[3].band_low.empty());
}

TEST_CASE("Maps of a family have the same colours; what is the same everywhere is no family") {
  const Results results{result_at("100", {series("RoPE", 1)}),
                        result_at("1000", {series("RoPE", 1)})};
  CHECK(family(results, "f", "base").empty());
  CHECK(family(results, "none", "base").empty());
  CHECK(family({results[0]}, "m", "base").empty());
  const auto maps = family(results, "m", "base");
  REQUIRE(maps.size() == 2);
  CHECK(maps[1].title == "base = 1000");
  CHECK(maps[1].id == "m_2");
  for (const Figure& map : maps) CHECK(std::get<Heatmap>(map.content).range == Range{0, 1000});
}
