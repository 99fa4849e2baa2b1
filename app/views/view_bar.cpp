#include "app/views/view_bar.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/session/desktop_state.h"
#include "app/session/references.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

/// A button of the row above the figures, in the colour of a check mark where it is on.
bool word_button(const char* word, bool chosen, const Ui& ui, ImVec2 size = ImVec2(0, 0)) {
  ImGui::PushStyleColor(ImGuiCol_Text,
                        ImGui::GetStyleColorVec4(chosen ? ImGuiCol_CheckMark : ImGuiCol_Text));
  const bool pressed = ImGui::Button(word, size);
  ImGui::PopStyleColor();
  mark_item(ui, std::string("button ") + word);
  return pressed;
}

double word_button_width(const std::string& word) {
  return static_cast<double>(ImGui::CalcTextSize(word.c_str()).x +
                             2 * ImGui::GetStyle().FramePadding.x);
}

constexpr double gap_width = 6;
// A shorter chip names nothing.
constexpr double min_chip_width = 48;
constexpr const char* remove_mark = " ×";
constexpr const char* first_pin_label = "Pin as reference";
constexpr const char* pin_label = "Pin";
constexpr const char* difference_label = "Difference";
constexpr const char* reference_label = "Reference";

/// The width to which the widest must be cut for all to fit into so much room.
double common_width(std::vector<double> widths, double room) {
  std::sort(widths.begin(), widths.end());
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const double share = room / static_cast<double>(widths.size() - i);
    if (widths[i] > share) return share;
    room -= widths[i];
  }
  return widths.back();
}

/// Widths of chips with these words.
std::vector<double> chip_widths(const std::vector<std::string>& names) {
  std::vector<double> widths;
  for (const std::string& name : names) widths.push_back(word_button_width(name + remove_mark));
  return widths;
}

bool all_fit(const std::vector<double>& widths, double room) {
  return std::accumulate(widths.begin(), widths.end(), 0.0) <= room;
}

/// The references in the row above the figures: a chip for each, which names what sets it apart and
/// removes it when it is clicked; a button that pins the result, and one that shows the difference.
class ReferenceChips {
 public:
  /// Lays them out in at most `room`, shortening names; where that is too little, the chips are
  /// left out.
  ReferenceChips(const Session& session, FigureOrigin origin, double room, const Ui& ui)
      : any_(!session.current().shown.references.empty()),
        flipped_(origin == FigureOrigin::reference) {
    const ExperimentState& state = session.current();
    const double gap = gap_width * ui.scale;
    width_ = any_ ? word_button_width(pin_label) + gap + word_button_width(difference_label)
                  : word_button_width(first_pin_label);
    if (any_ && state.result) add_chips(state, room, ui);
  }
  double width() const { return width_; }
  /// Draws them from the cursor to the right. Changes session.shown().
  void draw(Session& session, const Ui& ui) const {
    ViewState& shown = session.shown();
    for (std::size_t i = 0; i < chips_.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      const float height = ImGui::GetFrameHeight();
      ImGui::PushFont(ui.fonts.small());
      const bool removed = word_button(chips_[i].words.c_str(), false, ui, ImVec2(0, height));
      ImGui::PopFont();
      mark_item(ui, fmt::format("reference {}", i + 1));
      ImGui::PopID();
      tooltip(ui, fmt::format("{}\nPinned as reference. Click to remove it.{}",
                              as_marked(chips_[i].name),
                              i + 1 == chips_.size() ? " Hold R to see it." : ""));
      ImGui::SameLine(0, ui.px(gap_width));
      if (removed) return unpin_reference(shown, i);
    }
    if (word_button(any_ ? pin_label : first_pin_label, false, ui))
      session.note(pin_reference(shown, session.current().result));
    tooltip(ui,
            "Keeps this result as a reference: its curves stay in grey behind those of other "
            "settings. Hold R to see the last reference itself (P).");
    if (!any_) return;
    ImGui::SameLine(0, ui.px(gap_width));
    draw_difference(session, ui);
  }

 private:
  struct Chip {
    std::string name{};   ///< whole
    std::string words{};  ///< as much of it as fits, with ×
  };
  void add_chips(const ExperimentState& state, double room, const Ui& ui) {
    const double gap = gap_width * ui.scale;
    ImGui::PushFont(ui.fonts.small());
    std::vector<std::string> names;
    for (const auto& reference : state.shown.references)
      names.push_back(reference_name(contrast_of(state.result->provenance, reference->provenance)));
    for (const std::string& name : names) chips_.push_back({.name = name});
    const double inside = room - width_ - gap * static_cast<double>(chips_.size());
    if (!all_fit(chip_widths(names), inside))
      for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = short_reference_name(
            contrast_of(state.result->provenance, state.shown.references[i]->provenance));
    const std::vector<double> widths = chip_widths(names);
    const double most = common_width(widths, inside);
    if (most < min_chip_width * ui.scale && !all_fit(widths, inside)) chips_.clear();
    const double frame = word_button_width(remove_mark);
    for (std::size_t i = 0; i < chips_.size(); ++i) {
      const bool fits = widths[i] <= most;
      chips_[i].words =
          (fits ? names[i] : shortened(names[i], static_cast<float>(most - frame))) + remove_mark;
      width_ += word_button_width(chips_[i].words) + gap;
    }
    ImGui::PopFont();
  }
  void draw_difference(Session& session, const Ui& ui) const {
    ViewState& shown = session.shown();
    // Both words have the same width, so that nothing jumps while the key is held.
    const ImVec2 size(static_cast<float>(word_button_width(difference_label)), 0);
    if (word_button(flipped_ ? reference_label : difference_label, shown.difference || flipped_, ui,
                    size))
      shown.difference = !shown.difference;
    tooltip(ui, "Shows the result minus the last reference (D). Hold R to see that reference.");
  }

  std::vector<Chip> chips_{};
  bool any_{};
  bool flipped_{};
  double width_{};
};

constexpr double icon_width = 30;
// With less room than this for the titles, the row is left out.
constexpr double min_rest_width = 160;

struct LayoutChoice {
  ViewLayout layout;
  const char* words;
  std::vector<Rect> panes;  ///< of its icon, whose width and height are 1
};

const std::array<LayoutChoice, 3>& layout_choices() {
  static const std::array<LayoutChoice, 3> all{
      LayoutChoice{ViewLayout::single, "Shows one figure at a time.", {{0, 0, 1, 1}}},
      {ViewLayout::side_by_side,
       "Shows two figures side by side.",
       {{0, 0, 0.44, 1}, {0.56, 0, 0.44, 1}}},
      {ViewLayout::small_multiples,
       "Shows all figures at once, as small multiples.",
       {{0, 0, 0.44, 0.42},
        {0.56, 0, 0.44, 0.42},
        {0, 0.58, 0.44, 0.42},
        {0.56, 0.58, 0.44, 0.42}}}};
  return all;
}

bool icon_button(const LayoutChoice& choice, bool chosen, const Ui& ui) {
  const float side = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(choice.layout));
  ImGui::PushStyleColor(ImGuiCol_Button,
                        chosen ? ImGui::GetStyleColorVec4(ImGuiCol_Header) : ImVec4(0, 0, 0, 0));
  const bool pressed = ImGui::Button("##layout", ImVec2(ui.px(icon_width), side));
  ImGui::PopStyleColor();
  ImGui::PopID();
  tooltip(ui, choice.words);
  const Color ink = chosen ? ui.style.text : ui.style.muted;
  const double width = 16 * ui.scale, height = 12 * ui.scale;
  const double left = static_cast<double>(at.x) + (icon_width * ui.scale - width) / 2;
  const double top = static_cast<double>(at.y) + (static_cast<double>(side) - height) / 2;
  for (const Rect& pane : choice.panes)
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
  const double gap = gap_width * ui.scale;
  const bool several = session.current().result && session.current().result->figures.size() > 1;
  const double icons =
      several ? static_cast<double>(layout_choices().size()) * (icon_width * ui.scale + gap) : 0.0;
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
    for (const LayoutChoice& one : layout_choices()) {
      if (icon_button(one, one.layout == layout, ui)) session.shown().layout = one.layout;
      mark_item(ui, fmt::format("layout {}", layout_name(one.layout)));
      ImGui::SameLine(0, ui.px(gap_width));
    }
  references.draw(session, ui);
  return width + gap;
}

}  // namespace orrery
