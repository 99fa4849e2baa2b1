#include "experiments/figure/plot/decimate.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <limits>

#include "tests/support/sample_figures.h"

using namespace orrery;

namespace {

constexpr Rect plot{50.0, 20.0, 400.0, 200.0};
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

AxisMap x_axis(double max) { return {AxisScale::linear, 1.0, {0.0, max}, plot.x, plot.right()}; }
const AxisMap y_axis{AxisScale::linear, 1.0, {-1.0, 1.0}, plot.bottom(), plot.y};

std::vector<Strip> strips_of(const std::vector<double>& x, const std::vector<double>& y) {
  return decimated(x, y, x_axis(static_cast<double>(x.size() - 1)), y_axis, plot);
}

std::size_t points_in(const std::vector<Strip>& strips) {
  std::size_t count = 0;
  for (const Strip& strip : strips) count += strip.size();
  return count;
}

}  // namespace

TEST_CASE("A million points become a few per pixel and keep every peak") {
  std::vector<double> y(1'000'000);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = 0.1 * std::sin(0.37 * static_cast<double>(i));
  y[123'456] = 0.95;
  y[777'777] = -0.9;
  const std::vector<Strip> strips = strips_of(test::counting(y.size()), y);
  REQUIRE(strips.size() == 1);
  CHECK(points_in(strips) <= 4 * 401);
  const auto [top, bottom] = std::minmax_element(
      strips[0].begin(), strips[0].end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  CHECK(top->y == Approx(y_axis.to_canvas(0.95)));
  CHECK(top->x == Approx(plot.x + plot.width * 123'456.0 / 999'999.0).margin(1.0));
  CHECK(bottom->y == Approx(y_axis.to_canvas(-0.9)));
}

TEST_CASE("A few points are drawn unchanged") {
  const std::vector<Strip> strips = strips_of({0.0, 1.0, 2.0}, {0.0, 1.0, -1.0});
  REQUIRE(strips.size() == 1);
  REQUIRE(strips[0].size() == 3);
  CHECK(strips[0][1].x == Approx(250.0));
  CHECK(strips[0][1].y == Approx(20.0));
}

TEST_CASE("A NaN splits the curve") {
  const std::vector<Strip> strips =
      strips_of(test::counting(7), {0.0, 0.1, missing, 0.3, missing, 0.5, 0.6});
  REQUIRE(strips.size() == 3);
  CHECK(strips[1].size() == 1);
}

TEST_CASE("A zero on a log axis is a gap") {
  const AxisMap log{AxisScale::log10, 1.0, {1e-6, 1.0}, plot.bottom(), plot.y};
  const std::vector<Strip> strips = decimated(
      test::counting(5), std::vector<double>{1e-5, 1e-4, 0.0, 1e-2, 1e-1}, x_axis(4.0), log, plot);
  CHECK(strips.size() == 2);
}

TEST_CASE("Unsorted x is followed, and its output stays bounded") {
  const std::vector<Strip> square =
      strips_of({0.0, 4.0, 4.0, 0.0, 0.0}, {-0.5, -0.5, 0.5, 0.5, -0.5});
  REQUIRE(square.size() == 1);
  CHECK(square[0].size() == 5);
  std::vector<double> x, y;
  for (std::size_t i = 0; i < 300'000; ++i) {
    x.push_back(static_cast<double>(i * 7919 % 300'007));
    y.push_back(std::sin(static_cast<double>(i)));
  }
  const std::vector<Strip> filled = strips_of(x, y);
  CHECK(points_in(filled) <= 16 * 400);
  CHECK(filled.size() >= 399);
}

TEST_CASE("No point far outside the plot reaches the canvas, but lines through the plot stay") {
  const double huge = std::numeric_limits<double>::max();
  const std::vector<Strip> strips =
      strips_of({0.0, 1.0, 2.0, 3.0, 4.0}, {-huge, huge, 0.0, 1e30, -1e30});
  REQUIRE_FALSE(strips.empty());
  for (const Strip& strip : strips) {
    for (const Point& p : strip) {
      REQUIRE(p.x >= plot.x - 100.0);
      REQUIRE(p.x <= plot.right() + 100.0);
      REQUIRE(p.y >= plot.y - 100.0);
      REQUIRE(p.y <= plot.bottom() + 100.0);
    }
  }
}

TEST_CASE("A segment is cut at the edge of the bounds") {
  const std::vector<Strip> pieces =
      clipped({{-10.0, 5.0}, {20.0, 5.0}, {20.0, 50.0}, {5.0, 50.0}, {5.0, 0.0}}, {0, 0, 10, 10});
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].front().x == Approx(0.0));
  CHECK(pieces[0].back().x == Approx(10.0));
  CHECK(pieces[1].front().y == Approx(10.0));
}

TEST_CASE("Dots that fall on one another are drawn once, and too many not at all") {
  const std::vector<double> x(5000, 1.0), y(5000, 0.0);
  CHECK(decimated_dots(x, y, x_axis(2.0), y_axis, plot, 2.0, 100).size() == 1);
  std::vector<double> spread;
  for (std::size_t i = 0; i < 5000; ++i) spread.push_back(std::sin(static_cast<double>(i)));
  CHECK(
      decimated_dots(test::counting(5000), spread, x_axis(5000.0), y_axis, plot, 1.0, 100).empty());
}

TEST_CASE("A band is as wide as its widest point in each column, with gaps at NaN") {
  std::vector<double> low(100'000, -0.1), high(100'000, 0.1);
  high[50'000] = 0.8;
  high[75'000] = missing;
  const std::vector<BandPiece> pieces =
      decimated_band(test::counting(100'000), low, high, x_axis(99'999.0), y_axis, plot);
  REQUIRE(pieces.size() == 2);
  REQUIRE(pieces[0].upper.size() == pieces[0].lower.size());
  CHECK(pieces[0].upper.size() <= 402);
  double top = plot.bottom();
  for (const Point& p : pieces[0].upper) top = std::min(top, p.y);
  CHECK(top == Approx(y_axis.to_canvas(0.8)));
}

TEST_CASE("Ten million points are decimated quickly", "[.speed]") {
  std::vector<double> y(10'000'000);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::sin(1e-5 * static_cast<double>(i));
  const std::vector<double> x = test::counting(y.size());
  for (int turn = 0; turn < 3; ++turn) {
    const auto start = std::chrono::steady_clock::now();
    const std::size_t points = points_in(strips_of(x, y));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    WARN(took.count() << " ms for " << points << " points kept");
    REQUIRE(points < 2000);
  }
}
