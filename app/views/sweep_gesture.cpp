#include "app/views/sweep_gesture.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "app/session/number_scale.h"
#include "app/session/value_in_use.h"

namespace orrery::views {
namespace {

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

/// Whether Esc was pressed for no popup, or the mouse beside everything that it could be meant for.
bool is_dismissed() {
  const bool popup =
      ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  if (popup) return false;
  const bool beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsAnyItemHovered();
  return beside || shim::key_pressed(GLFW_KEY_ESCAPE, false);
}

}  // namespace

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
  if (number)
    session.sweep(number->key, shown_.at(number->key), number_of(params, *number));
  else if (!session.swept() || is_dismissed())
    session.end_sweep();
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) pressed_.reset();
}

}  // namespace orrery::views
