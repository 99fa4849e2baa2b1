#include "experiments/combine/dimensions.h"

#include <catch2/catch.hpp>

#include "tests/support/layers.h"

using namespace orrery;

TEST_CASE("Values of one setting look alike in legends, panels and titles, however long") {
  CHECK(combine::shown_value("1000") == "1000");
  CHECK(combine::shown_value("100000") == "100\u2009000");
  CHECK(combine::shown_value("1e+07") == "10\u2009000\u2009000");
  CHECK(combine::shown_value("0.25") == "0.25");
  CHECK(combine::shown_value("half_split") == "half_split");
  CHECK(combine::value_name({.key = "base"}, "1e+07") == "base = 10\u2009000\u2009000");
  CHECK(combine::text_of({{"dim", "32"}, {"base", "10000"}}) == "dim = 32, base = 10\u2009000");
}
