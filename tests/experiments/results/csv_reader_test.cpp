
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/results/csv.h"
#include "tests/support/same_result.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

namespace {

const Table number_and_text{.name = "t",
                            .columns = {{"a", "", Numbers{}}, {"b, \"c\"", "", Words{}}}};

Table read(const std::string& csv, std::size_t rows, const Table& described = number_and_text) {
  return read_csv(csv, described, rows, "t.csv");
}

std::string refusal(const std::string& csv, std::size_t rows) {
  try {
    read(csv, rows);
  } catch (const DataError& error) {
    return error.what();
  }
  return "accepted";
}

/// The rows below the header of number_and_text.
std::string below_header(const std::string& rows) { return "a,\"b, \"\"c\"\"\"\r\n" + rows; }

}  // namespace

TEST_CASE("Every double is read from CSV as it was written, to the bit") {
  using Limits = std::numeric_limits<double>;
  Numbers numbers{0.0,
                  -0.0,
                  0.1,
                  5e-324,
                  -2.2250738585072009e-308,
                  Limits::max(),
                  Limits::lowest(),
                  Limits::infinity(),
                  -Limits::infinity(),
                  Limits::quiet_NaN()};
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000; ++i) numbers.push_back(std::bit_cast<double>(random()));
  const Table table{.name = "t", .columns = {{"n", "tokens", numbers}}};
  const Table described{.name = "t", .columns = {{"n", "tokens", Numbers{}}}};
  CHECK(test::same(read(csv_text(table), numbers.size(), described), table));
}

TEST_CASE("Text is read from CSV as it was written, quotes, line ends and names of numbers too") {
  Table table = number_and_text;
  table.columns[0].values = Numbers{1, 2, 3, 4, 5, 6};
  table.columns[1].values = Words{"plain", "", "\"", "a,\"b\"\r\nc", "nan", "位置"};
  CHECK(test::same(read(csv_text(table), 6), table));
}

TEST_CASE("A CSV file without rows or without columns is read") {
  CHECK(test::same(read(below_header(""), 0), number_and_text));
  CHECK(read("", 0, Table{}).columns.empty());
}

TEST_CASE("A CSV file that was cut, changed or is another one is refused by its name") {
  CHECK(refusal(below_header("1,x\r\n2,y\r\n"), 2) == "accepted");
  CHECK_THAT(refusal(below_header("1,x\r\n2,y\r\n"), 2'000'000'000'000),
             Contains("t.csv: is damaged: row 3 is missing: its table has 2000000000000 rows"));
  CHECK_THAT(refusal(below_header("1,x\r\n2,y\r\n"), 1), Contains("row 2 is beyond the 1 rows"));
  CHECK_THAT(refusal(below_header("1,x\r\n2"), 2), Contains("row 2 ends within a field"));
  CHECK_THAT(refusal(below_header("1,x\r\n2,"), 2), Contains("row 2 ends within a field"));
  CHECK_THAT(refusal(below_header("1,x\r\n2,y"), 2), Contains("row 2 ends within a field"));
  CHECK_THAT(refusal(below_header("1,\"x\r\n"), 1), Contains("row 1 ends within quotes"));
  CHECK_THAT(refusal(below_header("1,\"x\"y\r\n"), 1), Contains("row 1 has more fields"));
  CHECK_THAT(refusal(below_header("1,x,2\r\n"), 1), Contains("row 1 has more fields than columns"));
  CHECK_THAT(refusal(below_header("1\r\n"), 1), Contains("row 1 ends within a row"));
  CHECK_THAT(refusal(below_header("1,x\n"), 1), Contains("row 1 has more fields"));
  CHECK_THAT(refusal(below_header("1,\xFF\r\n"), 1), Contains("text that is not UTF-8"));
  CHECK_THAT(refusal("a,c\r\n1,x\r\n", 1),
             Contains("its header names the column 'c', not 'b, \"c\"'"));
  CHECK_THAT(refusal("", 1), Contains("its header ends within a field"));
}

TEST_CASE("What is not a number as it is written here is refused in a column of numbers") {
  for (const char* number : {"", "x", "1x", "+1", " 1", "0x10", "-nan", "NAN", "nan(1)", "infinity",
                             "-", "1e999", "1e-999", ".5", "\"1\"", "--1"}) {
    INFO(number);
    CHECK(refusal(below_header(std::string(number) + ",x\r\n"), 1) != "accepted");
  }
}
