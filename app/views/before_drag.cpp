#include "app/views/before_drag.h"

#include <imgui.h>

#include <utility>

namespace orrery {
namespace {

bool is_any_clicked() {
  for (int i = 0; i < ImGuiMouseButton_COUNT; ++i)
    if (ImGui::IsMouseClicked(i)) return true;
  return false;
}

}  // namespace

void BeforeDrag::forget() {
  pressed_.reset();
  before_.reset();
}

void BeforeDrag::update(const Session& session) {
  const int frame = ImGui::GetFrameCount();
  // Where another view was shown meanwhile, clicks were missed.
  if (frame != std::exchange(frame_, frame) + 1) forget();
  const ExperimentState& state = session.current();
  if (is_any_clicked()) {
    before_.reset();
    pressed_ = state.result;
    params_ = state.params;
  }
  // Sliders and reference lines change parameters while the button is down; other controls when it
  // is released.
  if (pressed_ && !before_ && !(state.params == *params_)) before_ = pressed_;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) pressed_.reset();
}

}  // namespace orrery
