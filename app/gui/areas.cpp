#include "app/gui/areas.h"

#include <algorithm>

#include "app/gui/imgui_shim.h"
#include "app/gui/ui.h"

namespace orrery {

ImVec2 area_size(const Rect& area) {
  return {static_cast<float>(std::max(1.0, area.width)),
          static_cast<float>(std::max(1.0, area.height))};
}

void begin_area(const char* id, const Rect& area, Color background, ImGuiWindowFlags flags) {
  ImGui::SetCursorScreenPos(shim::vec({area.x, area.y}));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, shim::floats(background));
  shim::begin_panel(id, area_size(area), ImGuiWindowFlags_NoSavedSettings | flags);
  ImGui::PopStyleColor();
}

void begin_column(const char* id, const Rect& area, Color background, ImGuiWindowFlags flags) {
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0.0f);
  begin_area(id, area, background, flags);
  ImGui::PopStyleVar();
}

Rect inset(const Rect& area, double margin) {
  return {area.x + margin, area.y + margin, std::max(0.0, area.width - 2 * margin),
          std::max(0.0, area.height - 2 * margin)};
}

void draw_centered(const char* text, const Rect& area) {
  const ImVec2 size = ImGui::CalcTextSize(text);
  ImGui::SetCursorScreenPos(
      shim::vec({area.x + std::max(0.0, (area.width - static_cast<double>(size.x)) / 2),
                 area.y + area.height / 2}));
  text_muted(text);
}

}  // namespace orrery
