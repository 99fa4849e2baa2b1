#include "experiments/results/csv.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/experiments/results/example_result.h"

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

TEST_CASE("A long table, which is written on all threads, has its rows in order") {
  Numbers numbers(50'001);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.5 * static_cast<double>(i);
  std::string text = "x\r\n";
  for (const double number : numbers) text += fmt::format("{:g}\r\n", number);
  CHECK(csv_text({.columns = {{"x", "", numbers}}}) == text);
}

TEST_CASE("Text is quoted where RFC 4180 asks for it") {
  const Table table{.columns = {{"a,b", "", Words{"plain", "a,b", "say \"hi\"", "two\nlines", ""}},
                                {"n", "", Numbers{1, 2, 3, 4, 5}}}};
  CHECK(csv_text(table) ==
        "\"a,b\",n\r\nplain,1\r\n\"a,b\",2\r\n\"say "
        "\"\"hi\"\"\",3\r\n\"two\nlines\",4\r\n\"\",5\r\n");
}

TEST_CASE("Text that a spreadsheet would run is guarded, and numbers are numbers") {
  const Words words{"=cmd|' C calc'!A0.txt",
                    "+1+cmd",
                    "-2+3",
                    "@SUM(A1)",
                    "\tx",
                    "\rx",
                    "'=1",
                    "-0.5",
                    "+3e4",
                    "-inf",
                    "it's",
                    "'quoted'",
                    "x=1"};
  const Table table{.columns = {{"=t", "", words}, {"n", "", Numbers(words.size(), -1.5)}}};
  CHECK(csv_text(table) ==
        "'=t,n\r\n'=cmd|' C calc'!A0.txt,-1.5\r\n'+1+cmd,-1.5\r\n'-2+3,-1.5\r\n'@SUM(A1),-1.5\r\n"
        "'\tx,-1.5\r\n\"'\rx\",-1.5\r\n''=1,-1.5\r\n-0.5,-1.5\r\n+3e4,-1.5\r\n-inf,-1.5\r\n"
        "it's,-1.5\r\n'quoted',-1.5\r\nx=1,-1.5\r\n");
  const Table described{.columns = {{"=t", "", Words{}}, {"n", "", Numbers{}}}};
  const Table read = read_csv(csv_text(table), described, words.size(), "table.csv");
  CHECK(std::get<Words>(read.columns[0].values) == words);
}

TEST_CASE("A table without columns is an empty file, and one without rows a header") {
  CHECK(csv_text(Table{}).empty());
  CHECK(csv_text(Table{.columns = {{"x", "", Numbers{}}}}) == "x\r\n");
}

TEST_CASE("Columns of unequal length are never written") {
  const Table table{.columns = {{"x", "", Numbers{1}}, {"y", "", Numbers{}}}};
  CHECK_THROWS_AS(csv_text(table), std::logic_error);
}
