#include "experiments/figure/canvas/svg_canvas.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace orrery;

TEST_CASE("SVG numbers have at most two decimals and no superfluous characters") {
  CHECK(svg_number(0.0) == "0");
  CHECK(svg_number(-0.0) == "0");
  CHECK(svg_number(0.004) == "0");
  CHECK(svg_number(-0.004) == "0");
  CHECK(svg_number(0.25) == ".25");
  CHECK(svg_number(-0.25) == "-.25");
  CHECK(svg_number(12.5) == "12.5");
  CHECK(svg_number(12.049) == "12.05");
  CHECK(svg_number(-1234567.0) == "-1234567");
  CHECK(svg_number(99.999) == "100");
  CHECK_THROWS_AS(svg_number(std::nan("")), std::logic_error);
  CHECK_THROWS_AS(svg_number(std::numeric_limits<double>::infinity()), std::logic_error);
}

TEST_CASE("A path takes steps between rounded points") {
  const std::vector<Point> points{{3.0, 4.0}, {4.0, 4.0}, {4.5, 2.0}};
  CHECK(svg_path(points) == "M3 4l1 0 .5-2");
  CHECK(svg_path(std::vector<Point>{{1.0, 1.0}}).empty());
  CHECK(svg_path(std::vector<Point>{}).empty());
}

TEST_CASE("Rounding errors of a hundred thousand small steps do not add up") {
  std::vector<Point> points;
  for (int i = 0; i <= 100000; ++i) points.push_back({i * 0.001, 0.0});
  const std::string path = svg_path(points);
  CHECK(path.substr(0, 4) == "M0 0");
  double x = 0.0;  // every step is "s 0"
  for (std::size_t at = path.find('l') + 1; at < path.size();) {
    std::size_t used = 0;
    x += std::stod(path.substr(at), &used);
    at += used + 2;
  }
  CHECK(x == Approx(100.0));
}

TEST_CASE("Points that round to the previous one are left out, but a dot keeps its path") {
  const std::vector<Point> dot{{1.0, 1.0}, {1.001, 1.0}, {1.002, 1.0}};
  CHECK(svg_path(dot) == "M1 1l0 0");
}
