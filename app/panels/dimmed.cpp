#include "app/panels/dimmed.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/session/value_in_use.h"

namespace orrery {

namespace {

/// Why the figures did not change when this control was moved; empty unless it was moved last.
std::string why_unmoved(const Session& session, std::string_view key) {
  const auto& moved = session.current().moved;
  const auto& figures = session.on_screen;
  if (!moved || moved->key != key || !(moved->params == session.current().params)) return "";
  const bool same = std::all_of(figures.begin(), figures.end(), [&](const Figure* figure) {
    return moved->unchanged.contains(figure->id);
  });
  if (!same) return "";
  const auto named = [](const std::string& value) { return value.empty() ? "none" : value; };
  return fmt::format("{} in place of {} changed nothing in the figure{} on screen.",
                     named(moved->to), named(moved->from), figures.size() == 1 ? "" : "s");
}

}  // namespace

std::string why_ignored(const Session& session, std::string_view key) {
  const ExperimentInfo& info = session.current().experiment->info;
  const ParamSet& params = session.current().params;
  if (std::string fixed = why_fixed(session, key); !fixed.empty()) return fixed;
  const auto& figures = session.on_screen;
  const bool all = std::all_of(figures.begin(), figures.end(), [&](const Figure* figure) {
    return ignores(info, *figure, params.spec(key), params);
  });
  if (figures.empty()) return "";
  if (!all) return why_unmoved(session, key);
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

}  // namespace orrery
