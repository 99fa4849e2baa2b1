#include "app/views/sweep_gesture.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "app/session/number_scale.h"

namespace orrery {
namespace {

bool is_any_clicked() {
  for (int i = 0; i < ImGuiMouseButton_COUNT; ++i)
    if (ImGui::IsMouseClicked(i)) return true;
  return false;
}

/// The number in which two sets differ, if it is the only difference.
const ParamSpec* changed_number(const ParamSet& before, const ParamSet& now) {
  const ParamSpec* changed = nullptr;
  for (const ParamSpec& spec : now.specs()) {
    if (before.value(spec.key) == now.value(spec.key)) continue;
    if (changed || !is_number(spec)) return nullptr;
    changed = &spec;
  }
  return changed;
}

bool has_popup() {
  return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

/// Whether Esc was pressed for no popup.
bool is_taken_back() { return !has_popup() && shim::key_pressed(GLFW_KEY_ESCAPE, false); }

/// Whether the mouse was pressed beside everything that it could be meant for.
bool is_dismissed() {
  return !has_popup() && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsAnyItemHovered();
}

/// Sets the one number in which the parameters differ from those before, if that is all.
void give_back(Session& session, const ParamSet& before) {
  if (const ParamSpec* number = changed_number(before, session.current().params))
    session.set_value(number->key, before.value(number->key));
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

void SweepGesture::update(Session& session) {
  const int frame = ImGui::GetFrameCount();
  // Where another view was shown meanwhile, clicks were missed.
  if (frame != std::exchange(frame_, frame) + 1) pressed_.reset();
  const ParamSet& params = session.current().params;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    pressed_ = params;
    shown_.clear();
    for (const ParamSpec& spec : params.specs())
      if (is_number(spec)) shown_[spec.key] = number_shown(session, spec);
  }
  // The change was made in the frame before, when Shift may still have been held.
  const bool now = ImGui::GetIO().KeyShift;
  const bool shift = std::exchange(shift_, now) || now;
  const ParamSpec* number = pressed_ && shift ? changed_number(*pressed_, params) : nullptr;
  if (number) {
    before_ = pressed_;
    session.sweep(number->key, shown_.at(number->key), number_of(params, *number));
  } else if (session.swept() && is_taken_back()) {
    session.end_sweep();
    if (before_) give_back(session, *before_);
  } else if (!session.swept() || is_dismissed()) {
    session.end_sweep();
  }
  if (!session.swept()) before_.reset();
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) pressed_.reset();
}

}  // namespace orrery
