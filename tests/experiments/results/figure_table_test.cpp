#include "experiments/results/figure_table.h"

#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/results/csv.h"

using namespace orrery;
using Numbers = std::vector<double>;

namespace {

std::string csv_of(LinePlot plot) {
  return csv_text(table_of(Figure{.id = "f", .content = std::move(plot)}));
}

}  // namespace

TEST_CASE("Series that share x stand side by side") {
  CHECK(csv_of({.series = {{.name = "RoPE", .x = {0, 1}, .y = {1, 2}},
                           {.name = "ALiBi", .x = {0, 1}, .y = {3, 4}}}}) ==
        "x,RoPE,ALiBi\r\n0,1,3\r\n1,2,4\r\n");
}

TEST_CASE("Bands follow their series") {
  CHECK(csv_of({.series = {{.name = "a", .x = {0}, .y = {1}, .band_low = {0}, .band_high = {2}},
                           {.name = "b", .x = {0}, .y = {3}}}}) ==
        "x,a,a_low,a_high,b\r\n0,1,0,2,3\r\n");
}

TEST_CASE("Series of different x stand below each other") {
  CHECK(
      csv_of({.series = {{.name = "a", .x = {0, 1}, .y = {1, 2}},
                         {.name = "b", .x = {5}, .y = {3}, .band_low = {2}, .band_high = {4}}}}) ==
      "series,x,y,low,high\r\na,0,1,nan,nan\r\na,1,2,nan,nan\r\nb,5,3,2,4\r\n");
}

TEST_CASE("Series without names of their own stand below each other") {
  CHECK(
      csv_of({.series = {{.name = "a", .x = {0}, .y = {1}}, {.name = "a", .x = {0}, .y = {2}}}}) ==
      "series,x,y\r\na,0,1\r\na,0,2\r\n");
  CHECK(csv_of({.series = {{.name = "x", .x = {0}, .y = {1}}}}) == "series,x,y\r\nx,0,1\r\n");
  CHECK(csv_of({}) == "series,x,y\r\n");
}

TEST_CASE("Columns carry the units of the axes, and the table the figure's name") {
  const Table table =
      table_of({.id = "decay",
                .caption = "all settings",
                .content = LinePlot{.x = {.unit = "tokens"},
                                    .y = {.unit = "logit"},
                                    .series = {{.name = "a", .x = {0}, .y = {1}}}}});
  CHECK(table.name == "decay");
  CHECK(table.caption == "all settings");
  CHECK(table.columns[0].unit == "tokens");
  CHECK(table.columns[1].unit == "logit");
}

TEST_CASE("A heatmap is a matrix with its labels, masked cells apart") {
  const auto array = [](Numbers values) {
    return std::make_shared<const Array>(Array{.shape = {2, 2}, .values = std::move(values)});
  };
  const Heatmap map{.values = array({1, 2, 3, 4}),
                    .masked = array({0, 1, 0, 0}),
                    .column_labels = {"the", "the"}};
  CHECK(csv_text(table_of({.id = "m", .content = map})) ==
        "row,0 the,1 the\r\n0,1,nan\r\n1,3,4\r\n");
}

TEST_CASE("Tables and arrows give their cells") {
  const TableFigure cells{.header = {"a", "b"}, .rows = {{"1", "2"}, {"3"}}};
  CHECK(csv_text(table_of({.id = "t", .content = cells})) == "a,b\r\n1,2\r\n3,\"\"\r\n");
  const VectorPlot arrows{.arrows = {{0, 1, 2, 3, 4}}};
  CHECK(csv_text(table_of({.id = "v", .content = arrows})) == "x0,y0,x1,y1,value\r\n0,1,2,3,4\r\n");
}

TEST_CASE("A series with more x than y is never written") {
  CHECK_THROWS_AS(csv_of({.series = {{.name = "a", .x = {0, 1}, .y = {1}}}}), std::logic_error);
}
