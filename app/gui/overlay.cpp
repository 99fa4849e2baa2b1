#include "app/gui/overlay.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

// The sheet keeps this much from the edges of the window, and hangs at this part of its height.
constexpr double edge_gap = 16;
constexpr float top_share = 0.12f;

}  // namespace

bool Overlay::begin(const char* id, double width, double height, const Ui& ui) {
  just_opened_ = wanted_;
  if (wanted_) ImGui::OpenPopup(id);
  wanted_ = false;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float wide = std::max(1.0f, std::min(ui.px(width), screen.x - 2 * ui.px(edge_gap)));
  const float room = std::max(1.0f, screen.y - 2 * ui.px(edge_gap));
  const float high = height > 0 ? std::min(ui.px(height), room) : 0.0f;
  const float taken = std::max(high, just_opened_ ? 0.0f : height_);
  ImGui::SetNextWindowPos(
      ImVec2((screen.x - wide) / 2,
             std::clamp(top_share * screen.y, 0.0f, std::max(0.0f, screen.y - taken) / 2)));
  ImGui::SetNextWindowSizeConstraints(ImVec2(wide, high > 0 ? high : 1.0f),
                                      ImVec2(wide, high > 0 ? high : room));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0f, std::floor(ui.px(1))));
  open_ = ImGui::BeginPopupModal(id, nullptr,
                                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings |
                                     ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PopStyleVar(2);
  if (!open_) return false;
  const bool over_something = ImGui::IsWindowHovered(
      ImGuiHoveredFlags_AnyWindow | ImGuiHoveredFlags_AllowWhenBlockedByPopup |
      ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  const bool beside =
      !just_opened_ && !over_something && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (beside || shim::key_pressed(GLFW_KEY_ESCAPE, false)) closing_ = true;
  return true;
}

void Overlay::end() {
  height_ = ImGui::GetWindowHeight();
  if (closing_) {
    ImGui::CloseCurrentPopup();
    open_ = false;
  }
  closing_ = false;
  ImGui::EndPopup();
}

}  // namespace orrery
