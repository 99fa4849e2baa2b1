#include "app/gui/imgui_context.h"

#include <imgui.h>

namespace orrery {

ImGuiContextGuard::ImGuiContextGuard() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
}

ImGuiContextGuard::~ImGuiContextGuard() { ImGui::DestroyContext(); }

}  // namespace orrery
