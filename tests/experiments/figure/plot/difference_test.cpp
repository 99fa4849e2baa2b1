#include "experiments/figure/plot/difference.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace orrery {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Figure curves(std::vector<Series> series) {
  return {.id = "curves", .title = "Scores", .content = LinePlot{.series = std::move(series)}};
}

Figure map_of(std::vector<double> values, Meaning meaning = Meaning::sequential) {
  auto array = std::make_shared<Array>();
  *array = {.name = "m", .shape = {1, values.size()}, .axes = {"query", "key"}};
  array->values = std::move(values);
  return {.id = "map",
          .title = "Weights",
          .content = Heatmap{.values = array, .quantity = "weight", .meaning = meaning}};
}

TEST_CASE("Curves are subtracted by name where both have a sample; gaps stay") {
  const Figure shown = curves({{.name = "a", .x = {0, 1, 2, 3}, .y = {1, 2, not_a_number, 4}},
                               {.name = "b", .x = {0}, .y = {9}}});
  const Figure reference = curves({{.name = "a", .x = {1, 2, 3, 4}, .y = {0.5, 1, 1, 1}}});
  const auto difference = difference_of(shown, reference);
  REQUIRE(difference);
  const auto& plot = std::get<LinePlot>(difference->content);
  REQUIRE(plot.series.size() == 1);
  CHECK(plot.series[0].x == std::vector<double>{1, 2, 3});
  CHECK(plot.series[0].y[0] == 1.5);
  CHECK(std::isnan(plot.series[0].y[1]));
  CHECK(plot.series[0].y[2] == 3);
  CHECK(difference->title == "Difference: Scores");
}

TEST_CASE("A single curve is compared with a single one of another name") {
  const auto difference = difference_of(curves({{.name = "RoPE", .x = {0, 1}, .y = {3, 4}}}),
                                        curves({{.name = "ALiBi", .x = {0, 1}, .y = {1, 1}}}));
  REQUIRE(difference);
  const auto& plot = std::get<LinePlot>(difference->content);
  CHECK(plot.series[0].name == "RoPE − ALiBi");
  CHECK(plot.series[0].y == std::vector<double>{2, 3});
}

TEST_CASE("Maps are subtracted cell by cell, signed about 0, masked where either is") {
  Figure shown = map_of({1, 2, 3}), reference = map_of({3, 2, 0});
  auto mask = std::make_shared<Array>();
  *mask = {.shape = {1, 3}, .values = std::vector<float>{0, 1, 0}};
  std::get<Heatmap>(reference.content).masked = mask;
  const auto difference = difference_of(shown, reference);
  REQUIRE(difference);
  const auto& map = std::get<Heatmap>(difference->content);
  CHECK((*map.values)[0] == -2);
  CHECK((*map.values)[2] == 3);
  CHECK(map.meaning == Meaning::diverging);
  CHECK(map.values->axes == std::vector<std::string>{"query", "key"});
  REQUIRE(map.masked);
  CHECK((*map.masked)[1] == 1);
}

TEST_CASE("Angles differ by at most half a turn") {
  constexpr double pi = std::numbers::pi;
  const auto difference =
      difference_of(map_of({0.1}, Meaning::cyclic), map_of({2 * pi - 0.1}, Meaning::cyclic));
  REQUIRE(difference);
  CHECK((*std::get<Heatmap>(difference->content).values)[0] == Approx(0.2));
}

TEST_CASE("Figures that cannot be paired have no difference") {
  CHECK_FALSE(difference_of(map_of({1, 2}), map_of({1, 2, 3})));
  CHECK_FALSE(difference_of(map_of({1, 2}), curves({})));
  CHECK_FALSE(difference_of(curves({{.name = "a", .x = {0}, .y = {1}}}),
                            curves({{.name = "a", .x = {5}, .y = {1}}})));
  CHECK_FALSE(difference_of({.content = TableFigure{}}, {.content = TableFigure{}}));
}

TEST_CASE("A figure's counterpart is found by id, else by index among as many") {
  const std::vector<Figure> figures{map_of({1}), curves({})};
  CHECK(counterpart(figures, curves({}), 0, 2) == &figures[1]);
  CHECK(counterpart(figures, {.id = "other"}, 0, 2) == &figures[0]);
  CHECK(counterpart(figures, {.id = "other"}, 0, 3) == nullptr);
}

}  // namespace
}  // namespace orrery
