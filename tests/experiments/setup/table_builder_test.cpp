#include "experiments/setup/table_builder.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/support/layers.h"

using namespace orrery;

namespace {

TableBuilder lengths() { return {"lengths", "of tokens", {{"token", ""}, {"length", "letters"}}}; }

}  // namespace

TEST_CASE("A table builder puts each cell of a row into its column") {
  TableBuilder builder = lengths();
  builder.row({"sun", 3});
  builder.row({std::string("moon"), 4.0});
  const Table table = std::move(builder).finish();
  CHECK(table.name == "lengths");
  CHECK(table.columns.at(1).unit == "letters");
  CHECK(std::get<std::vector<std::string>>(table.columns.at(0).values) ==
        std::vector<std::string>{"sun", "moon"});
  CHECK(std::get<std::vector<double>>(table.columns.at(1).values) == std::vector<double>{3, 4});
}

TEST_CASE("A table builder refuses rows of another length and columns of mixed kinds") {
  TableBuilder builder = lengths();
  CHECK_THROWS_AS(builder.row({"sun"}), std::logic_error);
  builder.row({"sun", 3});
  CHECK_THROWS_AS(builder.row({"moon", "four"}), std::logic_error);
}
