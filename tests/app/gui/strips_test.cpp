#include "app/gui/imgui_canvas.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace orrery {
namespace {

constexpr Rect clip_area{0, 0, 100, 100};

std::vector<std::vector<Point>> cut(const std::vector<Point>& points, Stroke stroke) {
  std::vector<std::vector<Point>> pieces;
  cut_strip(points, stroke, clip_area,
            [&](std::span<const Point> piece) { pieces.emplace_back(piece.begin(), piece.end()); });
  return pieces;
}

double length_of(const std::vector<std::vector<Point>>& pieces) {
  double length = 0;
  for (const auto& piece : pieces)
    for (std::size_t i = 1; i < piece.size(); ++i)
      length += std::hypot(piece[i].x - piece[i - 1].x, piece[i].y - piece[i - 1].y);
  return length;
}

TEST_CASE("A strip inside stays whole") {
  const auto pieces = cut({{10, 10}, {20, 30}, {40, 10}}, {});
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].size() == 3);
}

TEST_CASE("A strip that leaves and comes back is cut in two") {
  const auto pieces = cut({{50, 50}, {150, 50}, {150, 60}, {50, 60}}, {});
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].back().x == Approx(100));
  CHECK(pieces[1].front().x == Approx(100));
}

TEST_CASE("Points that are not finite make a gap") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const auto pieces =
      cut({{10, 10}, {20, 10}, {nan, 10}, {40, 10}, {50, 10}, {60, inf}, {70, 10}}, {});
  REQUIRE(pieces.size() == 2);
  CHECK(length_of(pieces) == Approx(20));
}

TEST_CASE("A segment across the whole world costs no more than what is seen of it") {
  const auto pieces = cut({{-1e12, 50}, {1e12, 50}}, {.width = 2, .dash = Dash::dashed});
  CHECK(pieces.size() < 20);
  CHECK(length_of(pieces) <= 100);
  CHECK(length_of(pieces) > 40);
}

TEST_CASE("Dashes go on around corners: their share of the length is that of the pattern") {
  std::vector<Point> zigzag;
  for (int i = 0; i <= 90; ++i) zigzag.push_back({5.0 + i, i % 2 == 0 ? 40.0 : 41.0});
  const double whole = length_of(cut(zigzag, {}));
  const double dashed = length_of(cut(zigzag, {.width = 1, .dash = Dash::dashed}));
  CHECK(dashed / whole == Approx(5.0 / 8.0).margin(0.05));
}

}  // namespace
}  // namespace orrery
