#include "app/views/readout.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/app/fixture.h"

namespace orrery {
namespace {

/// x from 0 to 10 on pixels 0 to 100, y from 0 to 10 upwards.
FigureFrame square_frame() {
  FigureFrame frame;
  frame.plot = {0, 0, 100, 100};
  frame.x = {.data = {0, 10}, .at_min = 0, .at_max = 100};
  frame.y = {.data = {0, 10}, .at_min = 100, .at_max = 0};
  return frame;
}

TEST_CASE("The readout snaps to the nearest sample and lists every visible curve, highest first") {
  const Figure figure = test::lines("curves", {{1, 2, 3}, {9, 8, 7}, {5, 5, 5}});
  const auto& plot = std::get<LinePlot>(figure.content);
  FigureView view;
  view.hidden = {"curve 2"};
  const auto readout = read_lines(plot, square_frame(), view, {13, 50});
  REQUIRE(readout);
  CHECK(readout->x == 1);
  REQUIRE(readout->entries.size() == 2);
  CHECK(readout->entries[0].name == "curve 1");
  CHECK(readout->entries[0].value == 8);
  CHECK(readout->entries[1].value == 2);
}

TEST_CASE("A gap is listed last") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Figure figure = test::lines("curves", {{nan, nan}, {1, 2}});
  const auto readout = read_lines(std::get<LinePlot>(figure.content), square_frame(), {}, {1, 50});
  REQUIRE(readout);
  CHECK(readout->entries[0].name == "curve 1");
  CHECK(readout_number(readout->entries[1].value) == "not a number");
}

TEST_CASE("Outside of the plot there is nothing to read") {
  const Figure figure = test::lines("curves", {{1, 2}});
  CHECK_FALSE(read_lines(std::get<LinePlot>(figure.content), square_frame(), {}, {120, 50}));
}

TEST_CASE("Numbers are read with five digits and a true minus sign") {
  CHECK(readout_number(0.123456789) == "0.12346");
  CHECK(readout_number(-2) == "−2");
  CHECK(readout_number(1e-15, 3) == "1e-15");
  CHECK(readout_number(-std::numeric_limits<double>::infinity()) == "−∞");
}

}  // namespace
}  // namespace orrery
