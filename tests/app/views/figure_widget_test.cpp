#include "app/views/figure_set.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "app/views/marks.h"
#include "tests/app/views/figure_harness.h"

namespace orrery {
namespace {

using test::two_curves;
using Harness = test::FigureHarness;

TEST_CASE("A click in the legend hides a curve, and shows it again") {
  Harness h(two_curves());
  REQUIRE(h.frame().legend.size() == 2);
  const std::string name = h.frame().legend[1].series;
  h.click(h.legend(1));
  CHECK(h.view.hidden == std::set<std::string>{name});
  h.frames(60);  // apart from a double click
  h.click(h.legend(1));
  CHECK(h.view.hidden.empty());
  CHECK_FALSE(h.view.x);
}

TEST_CASE("A click with Ctrl in the legend shows one curve alone, and all again") {
  Harness h(test::lines("three", {{1, 2}, {2, 1}, {3, 3}}));
  shim::inject_control(ImGui::GetIO(), true);
  h.click(h.legend(0));
  CHECK(h.view.hidden == std::set<std::string>{"curve 1", "curve 2"});
  h.frames(60);
  h.click(h.legend(0));
  CHECK(h.view.hidden.empty());
}

/// Ranges that can be drawn: finite, the lower end first.
void check_ranges(const FigureLayout& frame) {
  for (const AxisMap* axis : {&frame.x, &frame.y}) {
    CHECK(std::isfinite(axis->data.min));
    CHECK(std::isfinite(axis->data.max));
    CHECK(axis->data.min < axis->data.max);
  }
}

TEST_CASE("Mouse and wheel leave drawable ranges where there is little or nothing to read") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& y : {std::vector<double>{},
                                       {1.0},
                                       {nan, nan, nan},
                                       {1, nan, 3},
                                       {inf, -inf, 0},
                                       {1e308, -1e308}}) {
    Harness h(test::lines("odd", {y}));
    INFO(y.size() << " values, the first is " << (y.empty() ? 0.0 : y.front()));
    h.move(h.middle());
    h.wheel(h.middle(), 1);
    check_ranges(h.frame());
    h.drag(h.middle(), {h.middle().x + 30, h.middle().y});
    check_ranges(h.frame());
  }
  for (const auto& [rows, columns] : {std::pair(1, 1), std::pair(1, 40)}) {
    Harness h(test::map("odd", static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)));
    h.move(h.middle());
    h.wheel(h.middle(), 1);
    check_ranges(h.frame());
  }
}

TEST_CASE("The mouse over a map without cells changes nothing") {
  Harness h(test::map("empty", 0, 0));
  h.move(h.middle());
  h.wheel(h.middle(), 1);
  CHECK(h.view == FigureView{});
  CHECK_FALSE(h.links.distance());
}

TEST_CASE("A click pins the read-out, and a click with Ctrl takes it away") {
  Harness h(two_curves());
  const Point at{std::floor(h.frame().x.to_canvas(1)), h.middle().y};
  const Point other{std::floor(h.frame().x.to_canvas(2)), h.middle().y};
  h.click(at);
  h.frames(60);  // apart from a double click
  h.click(other);
  CHECK(h.marks.pins == std::vector<double>{1, 2});
  CHECK_FALSE(h.view.x);
  shim::inject_control(ImGui::GetIO(), true);
  h.frames(60);
  h.click(at);
  CHECK(h.marks.pins == std::vector<double>{2});
}

TEST_CASE("A drag and a double click pin nothing") {
  Harness h(two_curves());
  h.drag(h.middle(), {h.middle().x + 40, h.middle().y});
  CHECK(h.marks.pins.empty());
  h.frames(60);
  h.double_click(h.middle());
  CHECK(h.marks.pins.empty());
}

TEST_CASE("Two cursors snap to samples and read what lies between them") {
  Harness h(two_curves());
  h.click(h.middle());  // for the keyboard
  h.marks.pins.clear();
  shim::inject_text(ImGui::GetIO(), "c");
  h.frames(2);
  REQUIRE(h.marks.cursors);
  CHECK((*h.marks.cursors)[0] == 1);
  CHECK((*h.marks.cursors)[1] == 2);
  const double y = h.middle().y;
  h.drag({std::round(h.frame().x.to_canvas(2)), y}, {h.frame().x.to_canvas(2.8), y});
  CHECK((*h.marks.cursors)[1] == 3);
  CHECK_FALSE(h.view.x);  // the plot stayed
  const auto plot = std::get<LinePlot>(two_curves().content);
  const auto delta = read_delta(plot, h.frame(), h.view, h.marks);
  REQUIRE(delta);
  CHECK(delta->b.x - delta->a.x == 2);
  REQUIRE(delta->entries.size() == 2);
  CHECK(delta->entries[0].name == "curve 0");
  CHECK(delta->entries[0].b - delta->entries[0].a == 2);
  CHECK(delta->entries[1].b - delta->entries[1].a == 2);
  shim::inject_text(ImGui::GetIO(), "c");
  h.frames(2);
  CHECK_FALSE(h.marks.cursors);
}

/// Clicks through an open menu from below its mouse until something comes of it.
template <typename Done>
bool click_through_menu(Harness& h, Point corner, Done done) {
  for (double y = corner.y + 8; y < corner.y + 330; y += 5)
    for (double x = corner.x + 14; x < corner.x + 300; x += 22) {
      h.click({x, y});
      if (done()) return true;
      if (!h.menu_is_open()) h.drag(corner, corner, 1);
    }
  return false;
}

TEST_CASE("The right-click menu changes scales") {
  Harness h(two_curves());
  const Point corner{h.frame().plot.x + 40, h.frame().plot.y + 40};
  h.drag(corner, corner, 1);
  CHECK(h.menu_is_open());
  CHECK(click_through_menu(h, corner, [&] { return h.view.x_scale.has_value(); }));
  CHECK(h.view.x_scale == AxisScale::log2);
  CHECK(h.frame().x.scale == AxisScale::log2);
}

TEST_CASE("The menu opens by the keyboard, too") {
  Harness h(two_curves());
  h.click(h.middle());
  CHECK_FALSE(h.menu_is_open());
  h.key(GLFW_KEY_MENU);
  CHECK(h.menu_is_open());
}

TEST_CASE("A click on a map holds its distance, another one releases it") {
  Harness h(test::map("map", 8, 8));
  const Figure figure = test::map("map", 8, 8);
  const auto& map = std::get<Heatmap>(figure.content);
  const Rect cell = cell_rect(map, h.frame(), {5, 2});
  const Point at{std::floor(cell.x + cell.width / 2), std::floor(cell.y + cell.height / 2)};
  h.click(at);
  CHECK(h.links.held() == 3.0);
  h.frames(60);
  h.click(at);
  CHECK_FALSE(h.links.held());
}

}  // namespace
}  // namespace orrery
