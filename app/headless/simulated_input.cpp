#include "app/headless/simulated_input.h"

#include <imgui.h>

#include "app/gui/imgui_shim.h"

namespace orrery {

void SimulatedInput::move_to(Point p) {
  shim::inject_mouse_position(ImGui::GetIO(), p);
  frame_();
}

void SimulatedInput::move_away() {
  shim::inject_mouse_away(ImGui::GetIO());
  frame_();
}

void SimulatedInput::drag(Point from, Point to, int button) {
  move_to(from);
  shim::inject_mouse_button(ImGui::GetIO(), button, true);
  frame_();
  constexpr int steps = 4;
  for (int i = 1; i <= steps; ++i)
    move_to({from.x + (to.x - from.x) * i / steps, from.y + (to.y - from.y) * i / steps});
  shim::inject_mouse_button(ImGui::GetIO(), button, false);
  // The effect of a click shows in the next frame.
  frame_();
  frame_();
}

void SimulatedInput::double_click(Point at) {
  move_to(at);
  for (int i = 0; i < 2; ++i) {
    shim::inject_mouse_button(ImGui::GetIO(), 0, true);
    frame_();
    shim::inject_mouse_button(ImGui::GetIO(), 0, false);
    frame_();
  }
}

void SimulatedInput::wheel(Point at, float steps) {
  move_to(at);
  shim::inject_wheel(ImGui::GetIO(), steps);
  frame_();
  frame_();
}

void SimulatedInput::press(int key, bool control, bool shift) {
  ImGuiIO& io = ImGui::GetIO();
  shim::inject_control(io, control);
  shim::inject_shift(io, shift);
  shim::inject_key(io, key, true);
  frame_();
  shim::inject_key(io, key, false);
  shim::inject_control(io, false);
  shim::inject_shift(io, false);
  frame_();
  frame_();
}

void SimulatedInput::type(const std::string& utf8) {
  shim::inject_text(ImGui::GetIO(), utf8.c_str());
  frame_();
  frame_();
}

}  // namespace orrery
