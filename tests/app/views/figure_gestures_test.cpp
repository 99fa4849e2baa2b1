#include "app/views/figure_gestures.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/app/views/figure_harness.h"

namespace orrery {
namespace {

using test::two_curves;
using Harness = test::FigureHarness;

Figure logarithmic() {
  Figure figure = test::lines("log", {{1, 10, 100, 1000}});
  std::get<LinePlot>(figure.content).y.scale = AxisScale::log10;
  return figure;
}

void check_near(Point a, Point b, double tolerance) {
  CHECK(a.x == Approx(b.x).margin(tolerance));
  CHECK(a.y == Approx(b.y).margin(tolerance));
}

/// Other tick labels may be wider and move the plot's edge by a few pixels, no more.
void check_stays(const Harness& h, Point data, Point at) {
  constexpr double label_shift = 4.0;
  CHECK(h.frame().x.to_canvas(data.x) == Approx(at.x).margin(label_shift));
  CHECK(h.frame().y.to_canvas(data.y) == Approx(at.y).margin(label_shift));
}

TEST_CASE("Dragging keeps the data under the cursor") {
  for (Figure (*figure)() : {two_curves, logarithmic}) {
    Harness h(figure());
    const Point from = h.middle(), to{from.x - 80, from.y + 40};
    const Point held = h.data_at(from);
    h.drag(from, to);
    REQUIRE(h.view.x);
    REQUIRE(h.view.y);
    check_stays(h, held, to);
  }
}

TEST_CASE("The wheel zooms about the cursor") {
  for (Figure (*figure)() : {two_curves, logarithmic}) {
    Harness h(figure());
    const Point at{h.middle().x + 60, h.middle().y - 30};
    const Point held = h.data_at(at);
    const double before = h.frame().x.data.max - h.frame().x.data.min;
    h.wheel(at, 3);
    check_stays(h, held, at);
    CHECK(h.frame().x.data.max - h.frame().x.data.min < before);
  }
}

TEST_CASE("The wheel over an axis zooms that axis only") {
  Harness h(two_curves());
  const Rect axis = h.frame().x_axis;
  h.wheel({axis.x + axis.width / 2, axis.y + axis.height / 2}, 2);
  CHECK(h.view.x);
  CHECK_FALSE(h.view.y);
}

TEST_CASE("Dragging an axis moves that axis only") {
  Harness h(two_curves());
  const Rect axis = h.frame().y_axis;
  const Point from{axis.x + axis.width / 2, axis.y + axis.height / 2};
  h.drag(from, {from.x, from.y + 50});
  CHECK_FALSE(h.view.x);
  CHECK(h.view.y);
}

TEST_CASE("A right drag zooms to the box") {
  Harness h(two_curves());
  const Point a{h.middle().x - 100, h.middle().y - 80}, b{h.middle().x + 50, h.middle().y + 60};
  const Point from = h.data_at(a), to = h.data_at(b);
  h.drag(a, b, 1);
  REQUIRE(h.view.x);
  check_near({h.view.x->min, h.view.y->max}, from, 1e-9);
  check_near({h.view.x->max, h.view.y->min}, to, 1e-9);
}

TEST_CASE("A right click without a drag changes nothing") {
  Harness h(two_curves());
  h.drag(h.middle(), {h.middle().x + 2, h.middle().y + 1}, 1);
  CHECK_FALSE(h.view.x);
}

TEST_CASE("A double click fits again") {
  Harness h(two_curves());
  h.wheel(h.middle(), 5);
  REQUIRE(h.view.x);
  h.double_click(h.middle());
  CHECK_FALSE(h.view.x);
  CHECK_FALSE(h.view.y);
}

TEST_CASE("A map cannot be moved out of its plot") {
  Harness h(test::map("map", 8, 8));
  h.wheel(h.middle(), 4);
  REQUIRE(h.view.x);
  const double span = h.view.x->max - h.view.x->min;
  h.drag(h.middle(), {h.middle().x + 3000, h.middle().y});
  CHECK(h.view.x->min == Approx(-0.5));
  CHECK(h.view.x->max - h.view.x->min == Approx(span));
  h.wheel(h.middle(), -40);
  CHECK_FALSE(h.view.x);
  CHECK_FALSE(h.view.y);
}

TEST_CASE("No amount of zooming leads to a range that cannot be shown") {
  for (const float steps : {400.0f, -4000.0f}) {
    Harness h(two_curves());
    for (int i = 0; i < 50; ++i) h.wheel(h.middle(), steps);
    CHECK(std::isfinite(h.frame().x.data.min));
    CHECK(h.frame().x.data.max > h.frame().x.data.min);
  }
}

TEST_CASE("Keys pan, zoom and fit the figure that was clicked") {
  Harness h(two_curves());
  h.key(GLFW_KEY_RIGHT);
  CHECK_FALSE(h.view.x);  // the keyboard is elsewhere
  h.click(h.middle());
  const Range whole = h.frame().x.data;
  h.key(GLFW_KEY_RIGHT);
  REQUIRE(h.view.x);
  CHECK(h.view.x->min > whole.min);
  CHECK_FALSE(h.view.y);
  h.key(GLFW_KEY_UP);
  CHECK(h.view.y);
  shim::inject_text(ImGui::GetIO(), "0");
  h.frames(2);
  CHECK_FALSE(h.view.x);
  shim::inject_text(ImGui::GetIO(), "+");
  h.frames(2);
  REQUIRE(h.view.x);
  CHECK(h.view.x->max - h.view.x->min < whole.max - whole.min);
  h.key(GLFW_KEY_HOME);
  CHECK_FALSE(h.view.x);
  h.key(GLFW_KEY_DELETE);
  CHECK(h.marks.pins.empty());
}

TEST_CASE("A symlog axis takes the threshold that a reader chooses") {
  Figure figure = test::lines("signed", {{-1000, -1, 0, 1, 1000}});
  Harness h(figure);
  h.view.y_scale = AxisScale::symlog;
  h.frames(2);
  CHECK(h.frame().y.symlog_threshold == 1.0);
  const auto share_within = [&] {
    const AxisMap& y = h.frame().y;
    return (y.to_canvas(-1) - y.to_canvas(1)) / (y.at_min - y.at_max);
  };
  const double before = share_within();
  h.view.y_threshold = 100.0;
  h.frames(2);
  CHECK(h.frame().y.symlog_threshold == 100.0);
  CHECK(share_within() < before / 10);
}

TEST_CASE("A colour bar is dragged by its ends and its middle, and a double click resets it") {
  Harness h(test::map("map", 8, 8));  // 0 … 63
  const Rect bar = h.frame().color_bar;
  REQUIRE(bar.height > 0);
  const double x = std::floor(bar.x + bar.width / 2);
  const Range whole = h.frame().color.data;
  h.drag({x, bar.y + 4}, {x, bar.y + 4 + bar.height / 2});
  REQUIRE(h.view.color);
  CHECK(h.view.color->min == whole.min);
  CHECK(h.view.color->max == Approx((whole.min + whole.max) / 2).epsilon(0.02));
  const Range half = *h.view.color;
  h.frames(60);
  h.drag({x, bar.y + bar.height / 2}, {x, bar.y + bar.height / 2 + 20});
  CHECK(h.view.color->max - h.view.color->min == Approx(half.max - half.min));
  CHECK(h.view.color->min < half.min);
  h.frames(60);
  h.wheel({x, bar.y + bar.height / 2}, 2);
  CHECK(h.view.color->max - h.view.color->min < half.max - half.min);
  CHECK_FALSE(h.view.x);
  h.double_click({x, bar.y + bar.height / 2});
  CHECK_FALSE(h.view.color);
}

TEST_CASE("A diverging colour bar stays centred on 0") {
  Figure figure = test::map("signed", 4, 4);
  std::get<Heatmap>(figure.content).meaning = Meaning::diverging;
  Harness h(std::move(figure));
  const Rect bar = h.frame().color_bar;
  const double x = std::floor(bar.x + bar.width / 2);
  h.drag({x, bar.bottom() - 4}, {x, bar.bottom() - 4 - bar.height / 4});
  REQUIRE(h.view.color);
  CHECK(h.view.color->min == -h.view.color->max);
  CHECK(h.view.color->max == Approx(7.5).epsilon(0.05));  // of 15
}

}  // namespace
}  // namespace orrery
