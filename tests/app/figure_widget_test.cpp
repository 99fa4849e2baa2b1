#include "app/views/figure_widget.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "app/app.h"
#include "app/imgui_shim.h"
#include "app/views/marks.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

constexpr Rect kArea{20, 30, 700, 500};

/// One figure in a window, under an injected mouse.
class Harness {
 public:
  explicit Harness(Figure figure) : figure_(std::move(figure)) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(800, 600);
    io.DeltaTime = 1.0f / 60.0f;
    shim::map_keys(io);
    shim::prepare_without_renderer(io);
    shim::inject_mouse_away(io);
    frames(3);
  }

  void frames(int count = 1) {
    for (int i = 0; i < count; ++i) {
      ImGui::NewFrame();
      ImGui::SetNextWindowPos(ImVec2(0, 0));
      ImGui::SetNextWindowSize(ImVec2(800, 600));
      ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
      widget_.draw(figure_, kArea, view, {.marks = marks, .links = links, .result = &result},
                   {fonts_, textures_, figure_style(Theme::dark), 1.0});
      ImGui::End();
      ImGui::Render();
    }
  }
  void move(Point p) {
    shim::inject_mouse_position(ImGui::GetIO(), p);
    frames();
  }
  void press(int button) {
    shim::inject_mouse_button(ImGui::GetIO(), button, true);
    frames();
  }
  void release(int button) {
    shim::inject_mouse_button(ImGui::GetIO(), button, false);
    frames(2);
  }
  void drag(Point from, Point to, int button = 0) {
    move(from);
    press(button);
    move({(from.x + to.x) / 2, (from.y + to.y) / 2});
    move(to);
    release(button);
  }
  void click(Point at) { drag(at, at); }
  void double_click(Point at) {
    click(at);
    click(at);
  }
  void wheel(Point at, float steps) {
    move(at);
    shim::inject_wheel(ImGui::GetIO(), steps);
    frames(2);
  }
  void key(int glfw_key) {
    shim::inject_key(ImGui::GetIO(), glfw_key, true);
    frames();
    shim::inject_key(ImGui::GetIO(), glfw_key, false);
    frames();
  }
  bool menu_is_open() const {
    return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  }
  const FigureFrame& frame() const { return widget_.frame(); }
  Point middle() const {
    const Rect& p = frame().plot;
    // Dear ImGui rounds the mouse down to whole pixels.
    return {std::floor(p.x + p.width / 2), std::floor(p.y + p.height / 2)};
  }
  Point data_at(Point p) const { return {frame().x.to_data(p.x), frame().y.to_data(p.y)}; }
  Point legend(std::size_t i) const {
    const Rect& box = frame().legend.at(i).box;
    return {box.x + box.width / 2, box.y + box.height / 2};
  }

  FigureView view{};
  FigureMarks marks{};
  LinkState links{};
  Result result{};

 private:
  ImGuiSession imgui_{};
  Fonts fonts_{Fonts::load(1.0)};
  TextureCache textures_{make_null_textures()};
  Figure figure_;
  FigureWidget widget_{};
};

Figure two_curves() { return test::lines("curves", {{1, 3, 2, 5}, {2, 1, 4, 3}}); }

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

TEST_CASE("Hovering is safe where there is little or nothing to read") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& y : {std::vector<double>{},
                                       {1.0},
                                       {nan, nan, nan},
                                       {1, nan, 3},
                                       {inf, -inf, 0},
                                       {1e308, -1e308}}) {
    Harness h(test::lines("odd", {y}));
    h.move(h.middle());
    h.wheel(h.middle(), 1);
    h.drag(h.middle(), {h.middle().x + 30, h.middle().y});
  }
  for (const auto& [rows, columns] : {std::pair(1, 1), std::pair(1, 40), std::pair(0, 0)}) {
    Harness h(test::map("odd", static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)));
    h.move(h.middle());
    h.wheel(h.middle(), 1);
  }
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

TEST_CASE("A click on a map holds its distance, another lets go") {
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
