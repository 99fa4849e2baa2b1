#pragma once

namespace orrery {

/// Creates Dear ImGui's context, current in this thread, and destroys it with itself. No settings
/// file is written.
class ImGuiContextGuard {
 public:
  ImGuiContextGuard();
  ~ImGuiContextGuard();
  ImGuiContextGuard(const ImGuiContextGuard&) = delete;
  ImGuiContextGuard& operator=(const ImGuiContextGuard&) = delete;
};

}  // namespace orrery
