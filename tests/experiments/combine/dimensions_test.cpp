#include "experiments/combine/dimensions.h"

#include <catch2/catch.hpp>

using namespace orrery;

TEST_CASE("Values of one setting look alike in legends, panels and titles, however long") {
  CHECK(shown_value("1000") == "1000");
  CHECK(shown_value("100000") == "100\u2009000");
  CHECK(shown_value("1e+07") == "10\u2009000\u2009000");
  CHECK(shown_value("0.25") == "0.25");
  CHECK(shown_value("half_split") == "half_split");
  CHECK(value_name({.key = "base"}, "1e+07") == "base = 10\u2009000\u2009000");
  CHECK(text_of({{"dim", "32"}, {"base", "10000"}}) == "dim = 32, base = 10\u2009000");
}

TEST_CASE("Fractions along an axis have as few digits as tell them apart") {
  const auto names = [](std::vector<std::string> values) { return axis_names(values); };
  CHECK(names({"1000", "1321.94114846603", "28480.3586843580", "0.000123456789"}) ==
        std::vector<std::string>{"1000", "1322", "28\u2009480", "0.0001235"});
  CHECK(names({"1.00001", "1.00002"}) == std::vector<std::string>{"1.00001", "1.00002"});
  CHECK(names({"0.5", "", "auto"}) == std::vector<std::string>{"0.5", "", "auto"});
  CHECK(names({"123456", "1e7"}) ==
        std::vector<std::string>{"123\u2009456", "10\u2009000\u2009000"});
}
