#include "experiments/results/csv.h"

#include <catch2/catch.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/experiments/results/example_result.h"
#include "tests/support/layers.h"

using namespace orrery;
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

TEST_CASE("Numbers have 17 significant digits, and what is not finite has a name") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Table table{
      .columns = {{"x", "tokens", Numbers{0.1, 1, 1e300, -0.0, nan, -nan, inf, -inf}}}};
  CHECK(csv_text(table) ==
        "x\r\n0.10000000000000001\r\n1\r\n1.0000000000000001e+300\r\n-0\r\nnan\r\nnan\r\ninf\r\n"
        "-inf\r\n");
}

TEST_CASE("Text is quoted where RFC 4180 asks for it") {
  const Table table{.columns = {{"a,b", "", Words{"plain", "a,b", "say \"hi\"", "two\nlines", ""}},
                                {"n", "", Numbers{1, 2, 3, 4, 5}}}};
  CHECK(csv_text(table) ==
        "\"a,b\",n\r\nplain,1\r\n\"a,b\",2\r\n\"say "
        "\"\"hi\"\"\",3\r\n\"two\nlines\",4\r\n\"\",5\r\n");
}

TEST_CASE("A table without columns is an empty file, and one without rows a header") {
  CHECK(csv_text(Table{}).empty());
  CHECK(csv_text(Table{.columns = {{"x", "", Numbers{}}}}) == "x\r\n");
}

TEST_CASE("Columns of unequal length are never written") {
  const Table table{.columns = {{"x", "", Numbers{1}}, {"y", "", Numbers{}}}};
  CHECK_THROWS_AS(csv_text(table), std::logic_error);
}
