#pragma once

#include <imgui.h>

#include <cmath>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "app/gui/ui.h"
#include "app/views/figure_set.h"
#include "tests/app/fixture.h"

namespace orrery::test {

inline constexpr Rect figure_area{20, 30, 700, 500};

/// One figure in a window, under a simulated mouse and keyboard.
class FigureHarness {
 public:
  explicit FigureHarness(Figure figure) : figure_(std::move(figure)) {
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
      widget_.draw(figure_, figure_area, view, {.marks = marks, .links = links, .result = &result},
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
  const FigureLayout& frame() const { return widget_.frame(); }
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
  LinkedCursor links{};
  Result result{};

 private:
  ImGuiContextGuard imgui_{};
  Fonts fonts_{Fonts::load(1.0)};
  TextureCache textures_{make_null_textures()};
  Figure figure_;
  FigureWidget widget_{};
};

inline Figure two_curves() { return lines("curves", {{1, 3, 2, 5}, {2, 1, 4, 3}}); }

}  // namespace orrery::test
