#include "experiments/figure/equation/layout.h"

#include <catch2/catch.hpp>

#include "experiments/figure/equation/parse.h"

namespace orrery {
namespace {

using Class = EquationNode::Class;

TEST_CASE("Relations have thick spaces and operations medium ones, but not in scripts") {
  CHECK(space_between(Class::ordinary, Class::relation, false) == Approx(5.0 / 18));
  CHECK(space_between(Class::operation, Class::ordinary, false) == Approx(4.0 / 18));
  CHECK(space_between(Class::ordinary, Class::relation, true) == 0.0);
  CHECK(space_between(Class::operation, Class::ordinary, true) == 0.0);
  CHECK(space_between(Class::relation, Class::relation, false) == 0.0);
}

TEST_CASE("Words have thin spaces, except before a bracket") {
  CHECK(space_between(Class::function, Class::ordinary, false) == Approx(3.0 / 18));
  CHECK(space_between(Class::ordinary, Class::large, false) == Approx(3.0 / 18));
  CHECK(space_between(Class::function, Class::opening, false) == 0.0);
}

TEST_CASE("There is no space inside brackets or before punctuation") {
  CHECK(space_between(Class::opening, Class::relation, false) == 0.0);
  CHECK(space_between(Class::operation, Class::closing, false) == 0.0);
  CHECK(space_between(Class::ordinary, Class::punctuation, false) == 0.0);
}

TEST_CASE("A sign is an operation only between two operands") {
  const std::vector<EquationNode> row = parse_equation("-a+b-").children;
  CHECK(spacing_class_in_row(row, 0, Class::opening) == Class::ordinary);
  CHECK(spacing_class_in_row(row, 2, Class::ordinary) == Class::operation);
  CHECK(spacing_class_in_row(row, 4, Class::ordinary) == Class::ordinary);
}

TEST_CASE("Scripts and accents have the class of their base") {
  CHECK(spacing_class(parse_equation("\\sum_i").children[0]) == Class::large);
  CHECK(spacing_class(parse_equation("\\hat{a}").children[0]) == Class::ordinary);
  CHECK(spacing_class(parse_equation("\\frac{a}{b}").children[0]) == Class::inner);
}

}  // namespace
}  // namespace orrery
