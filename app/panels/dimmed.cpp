#include "app/panels/dimmed.h"

#include <imgui.h>

#include <algorithm>

#include "app/session/value_in_use.h"
#include "experiments/studies/ignored_params.h"

namespace orrery::panels {

std::string why_ignored(const Session& session, std::string_view key) {
  const std::string& experiment = session.current().experiment->info.name;
  const ParamSet& params = session.current().params;
  if (const std::string fixed = why_fixed(session, key); !fixed.empty()) return fixed;
  const auto& figures = session.on_screen;
  const bool all = std::all_of(figures.begin(), figures.end(), [&](const Figure* figure) {
    return studies::is_ignored(experiment, figure->id, key, params);
  });
  if (figures.empty() || !all) return "";
  return figures.size() == 1 ? "Changes nothing in the figure on screen."
                             : "Changes nothing in the figures on screen.";
}

Dimmed::Dimmed(bool dims) : dims_(dims) {
  constexpr float opacity = 0.45f;
  if (dims_) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, opacity);
}

Dimmed::~Dimmed() {
  if (dims_) ImGui::PopStyleVar();
}

}  // namespace orrery::panels
