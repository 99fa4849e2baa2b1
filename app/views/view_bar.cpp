#include "app/views/view_bar.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/gui/theme.h"
#include "app/session/desktop_state.h"
#include "app/views/reference_chips.h"
#include "app/views/word_button.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double icon_width = 30;
constexpr double gap_width = 6;
// With less room than this for the titles, the row is left out.
constexpr double min_rest_width = 160;

/// Parts of an icon of width and height 1.
std::vector<Rect> panes(ViewLayout layout) {
  switch (layout) {
    case ViewLayout::single:
      return {{0, 0, 1, 1}};
    case ViewLayout::side_by_side:
      return {{0, 0, 0.44, 1}, {0.56, 0, 0.44, 1}};
    case ViewLayout::small_multiples:
      return {{0, 0, 0.44, 0.42},
              {0.56, 0, 0.44, 0.42},
              {0, 0.58, 0.44, 0.42},
              {0.56, 0.58, 0.44, 0.42}};
  }
  return {};
}

const char* words_of(ViewLayout layout) {
  switch (layout) {
    case ViewLayout::single:
      return "Shows one figure at a time.";
    case ViewLayout::side_by_side:
      return "Shows two figures side by side.";
    case ViewLayout::small_multiples:
      return "Shows all figures at once, as small multiples.";
  }
  return "";
}

bool icon_button(ViewLayout layout, bool chosen, const Ui& ui) {
  const float side = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(layout));
  ImGui::PushStyleColor(ImGuiCol_Button,
                        chosen ? ImGui::GetStyleColorVec4(ImGuiCol_Header) : ImVec4(0, 0, 0, 0));
  const bool pressed = ImGui::Button("##layout", ImVec2(ui.px(icon_width), side));
  ImGui::PopStyleColor();
  ImGui::PopID();
  tooltip(ui, words_of(layout));
  const Color ink = chosen ? ui.style.text : ui.style.muted;
  const double width = 16 * ui.scale, height = 12 * ui.scale;
  const double left = static_cast<double>(at.x) + (icon_width * ui.scale - width) / 2;
  const double top = static_cast<double>(at.y) + (static_cast<double>(side) - height) / 2;
  for (const Rect& pane : panes(layout))
    ImGui::GetWindowDrawList()->AddRectFilled(
        shim::vec({std::round(left + pane.x * width), std::round(top + pane.y * height)}),
        shim::vec({std::round(left + (pane.x + pane.width) * width),
                   std::round(top + (pane.y + pane.height) * height)}),
        shim::packed(ink));
  return pressed;
}

/// "r = 23 ×", or empty.
std::string held_text(const LinkedCursor& links) {
  return links.held() ? "r = " + grouped_number(*links.held()) + " ×" : std::string();
}

/// "base 100 … 1 000 000 · 2 of 6 ×", or empty.
std::string swept_text(const Session& session) {
  const LiveSweep* sweep = session.swept();
  if (!sweep) return {};
  const std::vector<std::string> values = sweep->values();
  const auto spoken = [](const std::string& value) {
    return grouped_number(number_in(value).value_or(0.0));
  };
  std::string text =
      fmt::format("{} {} … {}", sweep->key(), spoken(values.front()), spoken(values.back()));
  if (!sweep->is_complete()) text += fmt::format(" · {} of {}", sweep->done(), sweep->size());
  return text + " ×";
}

/// A chip that ends the sweep.
void draw_swept(Session& session, const std::string& words, const Ui& ui) {
  const std::string problem = session.swept()->problem();
  if (word_button(words.c_str(), true, ui)) session.end_sweep();
  mark_item(ui, "button end sweep");
  tooltip(ui, problem.empty() ? "The curves are of several values. Click, or press Esc, for the "
                                "present one alone. Ctrl+Shift+C copies the sweep as a command."
                              : "Not all values could be computed: " + as_marked(problem));
  ImGui::SameLine(0, ui.px(gap_width));
}

}  // namespace

double draw_view_bar(Session& session, ViewLayout layout, FigureOrigin origin, const Rect& area,
                     const Ui& ui) {
  constexpr std::array layouts{ViewLayout::single, ViewLayout::side_by_side,
                               ViewLayout::small_multiples};
  const double gap = gap_width * ui.scale;
  const bool several = session.current().result && session.current().result->figures.size() > 1;
  const double icons =
      several ? static_cast<double>(layouts.size()) * (icon_width * ui.scale + gap) : 0.0;
  const std::string held = held_text(session.links);
  const std::string swept = swept_text(session);
  const auto chip_width = [&](const std::string& words) {
    return words.empty() ? 0.0 : word_button_width(words) + gap;
  };
  const double chip = chip_width(held) + chip_width(swept);
  const double room = area.width - min_rest_width * ui.scale;
  const ReferenceChips references(session, origin, room - chip - icons, ui);
  const double width = chip + icons + references.width();
  if (width > room) return 0.0;
  ImGui::SetCursorScreenPos(shim::vec({area.right() - width, area.y}));
  if (!swept.empty()) draw_swept(session, swept, ui);
  if (!held.empty()) {
    if (word_button(held.c_str(), true, ui)) session.links.hold({});
    tooltip(ui,
            "This distance is held: every map, curve and phasor shows it. Click to release it.");
    ImGui::SameLine(0, ui.px(gap_width));
  }
  if (several)
    for (const ViewLayout one : layouts) {
      if (icon_button(one, one == layout, ui)) session.shown().layout = one;
      mark_item(ui, fmt::format("layout {}", layout_name(one)));
      ImGui::SameLine(0, ui.px(gap_width));
    }
  references.draw(session, ui);
  return width + gap;
}

}  // namespace orrery
