#include "experiments/setup/map_equation.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "experiments/setup/common_axes.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
const Positions three_places{0, 1, 2};

Matrix<double> by_hand() {
  Matrix<double> m(3, 3);
  m << 1, 2, 3,  //
      4, 1, 2,   //
      5, 6, 1;
  return m;
}

/// A part of an equation of logits with these values.
EquationPart part_of(const std::string& name, const Matrix<double>& values, double rounding = 0,
                     const Mask& mask = {}) {
  return {.name = name,
          .map = {.values = to_array<double>(values, name, "", {"query", "key"}),
                  .masked = mask_array(mask, values.rows()),
                  .x = key_axis(),
                  .y = query_axis(),
                  .quantity = "logit",
                  .meaning = Meaning::diverging},
          .profile = profile_of(diagonal_profile<double>(values, three_places, three_places, mask)),
          .rounding = rounding};
}

/// The terms of an equation of two maps, of which the second is `times` the first.
std::vector<MapTerm> scaled_pair(double times, Factors factors = Factors::of_faint,
                                 double rounding = 0) {
  return map_equation({part_of("whole", by_hand()), part_of("part", times * by_hand(), rounding)},
                      0, factors)
      .terms;
}

}  // namespace

TEST_CASE("The profile of three by three by hand") {
  const MapEquation equation = map_equation({part_of("map", by_hand())}, 3);
  const Series& profile = equation.profiles.series.at(0);
  CHECK(profile.x == std::vector<double>{-2, -1, 0, 1, 2});
  CHECK(profile.y == std::vector<double>{3, 2, 1, 5, 5});
  CHECK(profile.band_low == std::vector<double>{3, 2, 1, 4, 5});
  CHECK(profile.band_high == std::vector<double>{3, 2, 1, 6, 5});
  CHECK(profile.color == 3);
  CHECK(equation.terms.at(0).spread == 2);
  CHECK_FALSE(equation.terms.at(0).is_relative());
  CHECK(*equation.terms.at(0).map.range == Range{-6, 6});
  const ArrayPtr array = profile_array(part_of("map", by_hand()).profile, "p", "a map");
  CHECK(array->shape == std::vector<std::size_t>{5, 5});
  CHECK(std::get<std::vector<double>>(array->values) ==
        std::vector<double>{-2, 1, 3, 3, 3, -1, 2, 2, 2, 2, 0, 3, 1,
                            1,  1, 1, 2, 5, 4,  6, 2, 1, 5, 5, 5});
}

TEST_CASE("A map is relative within its rounding, and a NaN never is") {
  Matrix<double> toeplitz = by_hand();
  toeplitz(2, 1) = 4;
  const auto term = [&](double rounding, const Mask& mask = {}) {
    return map_equation({part_of("map", toeplitz, rounding, mask)}, 0).terms.at(0);
  };
  CHECK(term(0).is_relative());
  toeplitz(2, 1) += 1e-9;
  CHECK_FALSE(term(1e-10).is_relative());
  CHECK(term(1e-8).is_relative());
  toeplitz(2, 1) = not_a_number;
  CHECK(std::isnan(term(1).spread));
  CHECK_FALSE(term(1).is_relative());
  CHECK_FALSE(term(std::numeric_limits<double>::infinity()).is_relative());
}

TEST_CASE("Masked cells count neither for the spread nor for the colours") {
  Matrix<double> values = by_hand();
  values(2, 1) = 4;
  values(0, 1) = 50;  // ahead of the query
  values(1, 2) = not_a_number;
  const EquationPart causal = part_of("map", values, 0, Mask::causal(three_places, three_places));
  CHECK(causal.profile.distance == std::vector<double>{0, 1, 2});
  const MapTerm term = map_equation({causal}, 0).terms.at(0);
  CHECK(term.spread == 0);
  CHECK(term.is_relative());
  CHECK(*term.map.range == Range{-5, 5});
}

TEST_CASE("Where no distance has two values nothing is said to be relative") {
  const MapProfile alone{.distance = {0}, .count = {1}, .mean = {2}, .low = {2}, .high = {2}};
  CHECK(std::isnan(alone.spread()));
  CHECK(std::isnan(MapProfile{}.spread()));
}

TEST_CASE("The profile of a reduction is that of the map, from the farthest key behind on") {
  const Matrix<double> values = by_hand();
  MapReduction<double> reduction(3, 3, 2);
  reduction.add(values, Mask::causal(three_places, three_places));
  const MapProfile reduced = profile_of(reduction.diagonals(), 2);
  const MapProfile whole = profile_of(diagonal_profile<double>(
      values, three_places, three_places, Mask::causal(three_places, three_places)));
  CHECK(reduced.distance == whole.distance);
  CHECK(reduced.count == whole.count);
  CHECK(reduced.mean == whole.mean);
  CHECK(reduced.low == whole.low);
  CHECK(reduced.high == whole.high);
}

TEST_CASE("A faint map has a round factor with which it stays within the colours of all") {
  CHECK(scaled_pair(1.0 / 2100)[1].factor == 2000);
  CHECK(scaled_pair(1.0 / 1999)[1].factor == 1000);
  CHECK(scaled_pair(1.0 / 50)[1].factor == 50);
  CHECK(scaled_pair(1e-9)[1].factor == Approx(1e9));
  CHECK(scaled_pair(1.0 / 50)[0].factor == 1);
  CHECK(scaled_pair(0.2)[1].factor == 1);
  CHECK(scaled_pair(0.19, Factors::of_all)[1].factor == 5);
  CHECK(scaled_pair(0)[1].factor == 1);
  CHECK(scaled_pair(1e-9, Factors::of_faint, 1e-7)[1].factor == 1);  // which rounding may have made
}

TEST_CASE("Each quantity has its own range, and factors are told in words") {
  EquationPart weights = part_of("weights", by_hand() / 1000);
  weights.map.quantity = "weight";
  weights.map.meaning = Meaning::sequential;
  const MapEquation equation = map_equation(
      {part_of("whole", by_hand()), part_of("faint term", by_hand() / 3000), weights}, 0);
  CHECK(*equation.terms.at(0).map.range == Range{-6, 6});
  CHECK(*equation.terms.at(1).map.range == Range{-6, 6});
  CHECK(*equation.terms.at(2).map.range == Range{0, 0.006});
  CHECK(equation.terms.at(2).factor == 1);
  CHECK(factors_text(equation) == "drawn larger: faint term ×2000");
  CHECK(factors_text(map_equation({part_of("whole", by_hand())}, 0)).empty());
}

TEST_CASE("A term without a symbol of its own has its name") {
  CHECK_THAT(term_symbol("deberta", "content_to_position"), Contains(R"(\delta(m,n))"));
  CHECK(term_symbol("a new one", "some_term") == R"(\text{some term})");
}
