#include "experiments/setup/equation_difference.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "experiments/setup/common_axes.h"
#include "experiments/setup/map_equation.h"

using namespace orrery;

namespace {

const Positions at{0, 1, 2};

Matrix<double> three_by_three(std::vector<double> cells) {
  return Eigen::Map<const Matrix<double>>(cells.data(), 3, 3);
}

EquationPart part_of(std::string relation, std::string name, const Matrix<double>& values,
                     double rounding, const Mask& mask = {}) {
  return {.relation = std::move(relation),
          .symbol = "b",
          .name = name,
          .map = {.values = to_array<double>(values, name, "", {"query", "key"}),
                  .masked = mask_array(mask, 3),
                  .x = key_axis(),
                  .y = query_axis(),
                  .quantity = "logit",
                  .meaning = Meaning::diverging},
          .profile = profile_of(diagonal_profile<double>(values, at, at, mask)),
          .rounding = rounding};
}

MapEquation sum_of(const Matrix<double>& first, const Matrix<double>& second, double rounding = 0,
                   const Mask& mask = {}) {
  return map_equation({part_of("", "logit", first + second, rounding, mask),
                       part_of("=", "content", first, rounding, mask),
                       part_of("+", "bias", second, rounding, mask)},
                      2);
}

const Matrix<double> content = three_by_three({1, 0, 2, 3, 1, 0, 0, 2, 1});
const Matrix<double> near = three_by_three({0, -1, -2, -1, 0, -1, -2, -1, 0});

std::vector<double> cells_of(const MapTerm& term) {
  std::vector<double> cells;
  for (std::size_t i = 0; i < term.map.values->size(); ++i) cells.push_back((*term.map.values)[i]);
  return cells;
}

}  // namespace

TEST_CASE("An equation minus another subtracts term by term, and the differences add up") {
  const auto made = difference_of(sum_of(content, 3 * near), sum_of(content, near));
  REQUIRE(made);
  REQUIRE(made->terms.size() == 3);
  CHECK(cells_of(made->terms[0]) == std::vector<double>{0, -2, -4, -2, 0, -2, -4, -2, 0});
  CHECK(cells_of(made->terms[1]) == std::vector<double>(9, 0.0));
  CHECK(cells_of(made->terms[2]) == cells_of(made->terms[0]));
  CHECK(made->terms[0].symbol == R"(\Delta b)");
  CHECK(made->terms[2].relation == "+");
}

TEST_CASE("A difference has a profile, a spread and a rounding of its own") {
  const Matrix<double> other = three_by_three({1, 0, 2, 3, 1, 0, 0, 2, 6});
  const auto made = difference_of(sum_of(other, near, 0.25), sum_of(content, near, 0.5));
  REQUIRE(made);
  const Series& profile = made->profiles.series.at(1);
  CHECK(profile.x == std::vector<double>{-2, -1, 0, 1, 2});
  CHECK(profile.y[2] == Approx(5.0 / 3));
  CHECK(profile.band_low[2] == 0);
  CHECK(profile.band_high[2] == 5);
  CHECK(made->terms[1].spread == 5);
  CHECK(made->terms[1].rounding == 0.75);
  CHECK_FALSE(made->terms[1].is_relative());
  CHECK(made->terms[2].is_relative());
}

TEST_CASE("What a mask hides is in no difference's profile") {
  const Mask causal = Mask::causal(at, at);
  const auto made =
      difference_of(sum_of(content, 2 * near, 0, causal), sum_of(content, near, 0, causal));
  REQUIRE(made);
  CHECK(made->profiles.series.at(2).x == std::vector<double>{0, 1, 2});
  CHECK(made->profiles.series.at(2).y == std::vector<double>{0, -1, -2});
}

TEST_CASE("A softmax is no step from difference to difference") {
  MapEquation pipeline = sum_of(content, near);
  pipeline.terms[2].relation = R"(\to)";
  pipeline.terms[2].step = "softmax";
  const auto made = difference_of(pipeline, pipeline);
  REQUIRE(made);
  CHECK(made->terms[2].relation == ",");
  CHECK(made->terms[2].step.empty());
}

TEST_CASE("Equations of other terms or other distances have no difference") {
  const MapEquation whole = sum_of(content, near);
  MapEquation renamed = whole;
  renamed.terms[2].name = "position";
  CHECK_FALSE(difference_of(whole, renamed));
  CHECK_FALSE(difference_of(whole, sum_of(content, near, 0, Mask::causal(at, at))));
  MapEquation shorter = whole;
  shorter.terms.pop_back();
  shorter.profiles.series.pop_back();
  CHECK_FALSE(difference_of(whole, shorter));
  // A reduced map has fewer diagonals than its profile has distances.
  MapEquation reduced = whole;
  for (Series& profile : reduced.profiles.series) profile.x.push_back(3);
  CHECK_FALSE(difference_of(reduced, reduced));
}
