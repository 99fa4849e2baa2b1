#include "app/panels/known_ticks.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/session/number_scale.h"
#include "experiments/setup/known_values.h"

namespace orrery {
namespace {

// Dear ImGui keeps the grab this far from the ends of a slider.
constexpr float grab_padding = 2.0f;
// Of the height of a slider: how far a tick reaches up, and within which distance a drag snaps.
constexpr float tick_height = 0.22f, snap_distance = 0.2f;

std::vector<KnownValue> in_range(const ParamSpec& spec) {
  const auto known = known_values(spec.key);
  std::vector<KnownValue> inside;
  for (const KnownValue& one : known)
    if (one.value >= spec.min && one.value <= spec.max) inside.push_back(one);
  return inside;
}

/// Where Dear ImGui puts the middle of the grab, in pixels of the screen.
float place_of(const ParamSpec& spec, double value) {
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const float width = to.x - from.x - 2 * grab_padding;
  float grab = ImGui::GetStyle().GrabMinSize;
  if (spec.kind == ParamKind::integer)
    grab = std::max(grab, width / static_cast<float>(spec.max - spec.min + 1));
  grab = std::min(grab, width);
  const double share = moves_by_ratios(spec)
                           ? std::log(value / spec.min) / std::log(spec.max / spec.min)
                           : (value - spec.min) / (spec.max - spec.min);
  return from.x + grab_padding + grab / 2 + static_cast<float>(share) * (width - grab);
}

}  // namespace

bool has_ticks(const ParamSpec& spec) {
  return (!moves_by_ratios(spec) || spec.min > 0) && !in_range(spec).empty();
}

void draw_ticks(const ParamSpec& spec) {
  if (!has_ticks(spec)) return;
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const ImU32 color = ImGui::GetColorU32(ImGuiCol_TextDisabled);
  for (const KnownValue& one : in_range(spec)) {
    const float x = std::round(place_of(spec, one.value));
    ImGui::GetWindowDrawList()->AddRectFilled({x, to.y - tick_height * (to.y - from.y)},
                                              {x + 1, to.y}, color);
  }
}

std::optional<double> tick_at_mouse(const ParamSpec& spec) {
  if (!has_ticks(spec)) return std::nullopt;
  const float mouse = ImGui::GetIO().MousePos.x;
  const float near = snap_distance * (ImGui::GetItemRectMax().y - ImGui::GetItemRectMin().y);
  for (const KnownValue& one : in_range(spec))
    if (std::abs(place_of(spec, one.value) - mouse) <= near) return one.value;
  return std::nullopt;
}

std::string known_values_text(const ParamSpec& spec) {
  std::vector<std::string> words;
  for (const KnownValue& one : in_range(spec))
    words.push_back(fmt::format("{} {}", number_text(one.value), one.users));
  return fmt::format("{}", fmt::join(words, " · "));
}

}  // namespace orrery
