#include "app/views/reference_chips.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <numeric>

#include "app/session/references.h"
#include "app/views/word_button.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

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

}  // namespace

ReferenceChips::ReferenceChips(const Session& session, FigureOrigin origin, double room,
                               const Ui& ui)
    : any_(!session.current().shown.references.empty()),
      flipped_(origin == FigureOrigin::reference) {
  const ExperimentState& state = session.current();
  const double gap = gap_width * ui.scale;
  width_ = any_ ? word_button_width(pin_label) + gap + word_button_width(difference_label)
                : word_button_width(first_pin_label);
  if (any_ && state.result) add_chips(state, room, ui);
}

void ReferenceChips::add_chips(const ExperimentState& state, double room, const Ui& ui) {
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

void ReferenceChips::draw(Session& session, const Ui& ui) const {
  ViewState& shown = session.shown();
  for (std::size_t i = 0; i < chips_.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const float height = ImGui::GetFrameHeight();
    ImGui::PushFont(ui.fonts.small());
    const bool removed = word_button(chips_[i].words.c_str(), false, ui, ImVec2(0, height));
    ImGui::PopFont();
    mark_item(ui, fmt::format("reference {}", i + 1));
    ImGui::PopID();
    tooltip(ui,
            fmt::format("{}\nPinned as reference. Click to remove it.{}", as_marked(chips_[i].name),
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

void ReferenceChips::draw_difference(Session& session, const Ui& ui) const {
  ViewState& shown = session.shown();
  // Both words have the same width, so that nothing jumps while the key is held.
  const ImVec2 size(static_cast<float>(word_button_width(difference_label)), 0);
  if (word_button(flipped_ ? reference_label : difference_label, shown.difference || flipped_, ui,
                  size))
    shown.difference = !shown.difference;
  tooltip(ui, "Shows the result minus the last reference (D). Hold R to see that reference.");
}

}  // namespace orrery
