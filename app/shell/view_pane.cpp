#include "app/shell/view_pane.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/gui/imgui_shim.h"
#include "app/panels/status_line.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

// Lengths at scale 1.
constexpr double gap_height = 4;
constexpr double grip_width = 36, grip_height = 3;
// The findings take at most this share of the pane and leave the plot at least this height. With
// less room than min_findings_height they are left out; the status line still counts the checks.
constexpr double max_findings_share = 0.32;
constexpr double min_plot_height = 240;
constexpr double min_findings_height = 56;
// Below a list of points the figure needs the room more.
constexpr double findings_height_below_list = 84;
// The question and its formulas are shown only above figures of at least this height.
constexpr double min_height_below_headline = 480;
constexpr double max_formula_height = 44;
constexpr double min_view_choice_width = 120;
constexpr double max_question_share = 0.55;  // of the width, where there are formulas

bool all_hold(const Result& result) { return holding(result) == result.checks.size(); }

/// The largest bold font in which the words fit on a line, else the smallest.
ImFont* largest_font(const std::string& words, double width, const Ui& ui) {
  ImFont* font = nullptr;
  for (const Fonts::Sized& bold : ui.fonts.bold()) {
    ImGui::PushFont(bold.font);
    const bool fits = rich_width(ui, words) <= width;
    ImGui::PopFont();
    if (!font || fits) font = bold.font;
  }
  return font;
}

}  // namespace

ViewPane::ViewPane(Workspace& workspace, ActionHandler& actions, LinkedFormulas& formulas)
    : workspace_(workspace), actions_(actions), formulas_(formulas) {
  const Session& live = workspace.live();
  for (std::size_t i = 0; i < live.size(); ++i)
    views_.emplace_back(live.state(i).experiment->info.view, true);
}

void ViewPane::draw(const Rect& area, bool with_list, bool busy, const Ui& ui) {
  begin_column("view", area, ui.style.background,
               ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const double margin = page_margin * ui.scale;
  const Rect inner = inset(area, margin);
  const Rect bar = draw_toolbar(inner, with_list, ui);
  double top = bar.height > 0 ? bar.bottom() + gap_height * ui.scale : inner.y;
  top = workspace_.is_browsing() ? draw_points(inner, top, ui) : draw_headline(inner, top, ui);
  const Layout layout = this->layout(inner, top, ui);
  if (layout.figures.height > 0) {
    draw_figures(bar, layout.figures, busy, ui);
    if (layout.grip.height > 0) draw_grip(layout.grip, layout.findings.height, ui);
  }
  figures_ = workspace_.shown().on_screen.size();
  draw_boxes(layout, ui);
  ImGui::EndChild();
}

/// Draws what a window without the list of views needs in its place. Returns the rest of the line,
/// which is for the figures' own choices; in projector mode there is none.
Rect ViewPane::draw_toolbar(const Rect& inner, bool with_list, const Ui& ui) {
  if (workspace_.live().look.projector) return {inner.x, inner.y, inner.width, 0};
  Rect bar{inner.x, inner.y, inner.width, static_cast<double>(ImGui::GetFrameHeight())};
  if (with_list) return bar;
  ImGui::SetCursorScreenPos(shim::vec({bar.x, bar.y}));
  draw_action_menu(actions_, ui);
  ImGui::SameLine(0, ui.px(gap_height));
  draw_view_choice(ui);
  const double end = static_cast<double>(ImGui::GetItemRectMax().x) + 2 * gap_height * ui.scale;
  bar.width = std::max(0.0, bar.right() - end);
  bar.x = end;
  return bar;
}

/// Stands in for the list of views.
void ViewPane::draw_view_choice(const Ui& ui) {
  const Session& live = workspace_.live();
  const std::string& shown = workspace_.shown().current().experiment->info.title;
  const float words = ImGui::CalcTextSize(shown.c_str()).x + ImGui::GetFrameHeight() +
                      3 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetNextItemWidth(std::max(words, ui.px(min_view_choice_width)));
  const bool open = ImGui::BeginCombo("##view", shown.c_str(), ImGuiComboFlags_HeightLargest);
  mark_item(ui, "list of views");
  if (!open) return;
  for (std::size_t i = 0; i < live.size(); ++i) {
    const ExperimentInfo& info = live.state(i).experiment->info;
    if (ImGui::Selectable(info.title.c_str(), !workspace_.is_browsing() && i == live.selected()))
      workspace_.show_view(i);
    mark_item(ui, "view " + info.name);
    tooltip(ui, info.question);
  }
  const ExperimentInfo& saved = workspace_.browser().session().current().experiment->info;
  if (ImGui::Selectable(saved.title.c_str(), workspace_.is_browsing())) workspace_.show_saved();
  mark_item(ui, "view saved_results");
  ImGui::EndCombo();
}

/// The answer to the question that was asked, in full. Returns where the figures begin.
double ViewPane::draw_guide(const Rect& inner, double top, const Ui& ui) {
  ImGui::SetCursorScreenPos(shim::vec({inner.x, top}));
  draw_rich_text(ui, workspace_.guide().answer, inner.width);
  mark_item(ui, "answer");
  return static_cast<double>(ImGui::GetItemRectMax().y) + gap_height * ui.scale;
}

/// One line, the question at the left and its formulas at the right. Returns where the figures
/// begin.
double ViewPane::draw_headline(const Rect& inner, double top, const Ui& ui) {
  const Session& live = workspace_.live();
  const bool projector = live.look.projector;
  if (workspace_.announced() && workspace_.announced()->empty()) return top;
  if (!workspace_.announced() && !workspace_.guide().answer.empty() && !projector)
    return draw_guide(inner, top, ui);
  // Across a lecture hall what a figure found is read, and a question is asked aloud.
  if (projector && !workspace_.announced() && figures_ == 1) return top;
  if (!projector && inner.bottom() - top < min_height_below_headline * ui.scale) return top;
  const std::string& question =
      workspace_.announced().value_or(live.current().experiment->info.question);
  if (projector) ImGui::PushFont(largest_font(question, inner.width, ui));
  const auto line = static_cast<double>(ImGui::GetTextLineHeight());
  const double wanted = rich_width(ui, question);
  const double gap = 4 * gap_height * ui.scale;
  const double left = std::min(wanted, max_question_share * inner.width) + gap;
  const Rect beside{inner.x + left, top, inner.width - left - gap / 2,
                    max_formula_height * ui.scale};
  const Size formulas = projector ? Size{} : formulas_.view.size(live, beside, ui);
  const double room = formulas.width > 0 ? inner.width - formulas.width - gap : inner.width;
  const double height = std::max(line, formulas.height);
  ImGui::SetCursorScreenPos(shim::vec({inner.x, top + (height - line) / 2}));
  const std::string words =
      wanted <= room ? question
                     : as_marked(shortened(plain_text(question), static_cast<float>(room)));
  ImGui::PushStyleColor(ImGuiCol_Text, shim::floats(projector ? ui.style.text : ui.style.muted));
  draw_rich_text(ui, words);
  ImGui::PopStyleColor();
  if (projector) ImGui::PopFont();
  tooltip(ui, question);
  if (formulas.width > 0) formulas_.view.draw(live, beside, formulas_.shown, formulas_.next, ui);
  return top + height + gap_height * ui.scale;
}

/// The list of saved points. Returns where the figures begin.
double ViewPane::draw_points(const Rect& inner, double top, const Ui& ui) {
  ResultBrowser& browser = workspace_.browser();
  const double list = browser.list_height(inner.height, ui);
  if (list <= 0) return top;
  begin_area("points", {inner.x, top, inner.width, list}, raised_color(ui.style),
             ImGuiWindowFlags_NoScrollbar);
  browser.draw_list(ui);
  ImGui::EndChild();
  return top + list + gap_height * ui.scale;
}

ViewPane::Layout ViewPane::layout(const Rect& inner, double top, const Ui& ui) {
  Session& shown = workspace_.shown();
  const Look& look = workspace_.live().look;
  const double gap = page_margin * ui.scale;
  const double message = std::min(message_height(shown, inner.width, ui), inner.height / 2);
  const bool with_findings =
      shown.current().result && !look.projector &&
      (look.findings || workspace_.is_browsing() || !all_hold(*shown.current().result));
  const double findings =
      with_findings ? findings_height_in(inner, inner.bottom() - top - message, ui) : 0.0;
  // Hidden findings keep their grip, so that they can be brought back.
  const bool with_grip = findings > 0 || (with_findings && look.findings);
  Layout layout{.figures = {inner.x, top, inner.width, inner.bottom() - top}};
  if (message > 0) layout.figures.height -= message + gap;
  if (with_grip) layout.figures.height -= findings + gap;
  const double bottom = layout.figures.bottom();
  if (with_grip) layout.grip = {inner.x, bottom, inner.width, gap};
  if (findings > 0) layout.findings = {inner.x, bottom + gap, inner.width, findings};
  if (message > 0) layout.message = {inner.x, inner.bottom() - message, inner.width, message};
  return layout;
}

/// The height of the findings when plot and findings share `room`; 0 when there is too little.
double ViewPane::findings_height_in(const Rect& inner, double room, const Ui& ui) {
  const Look& look = workspace_.live().look;
  const auto& folder = workspace_.browser().folder();
  const bool below_list = workspace_.is_browsing() && folder && folder->is_sweep;
  std::optional<double> asked = look.findings;
  if (!asked && below_list) asked = findings_height_below_list;
  const double margins = 2 * area_margin * ui.scale;
  const Result& result = *workspace_.shown().current().result;
  const double wanted = findings_height(result, inner.width - margins, ui) + margins;
  const double suitable = asked ? *asked * ui.scale : max_findings_share * inner.height;
  const double available = std::min(suitable, room - min_plot_height * ui.scale);
  if (wanted <= margins || available < min_findings_height * ui.scale) return 0.0;
  return std::min(wanted, available);
}

void ViewPane::draw_figures(const Rect& bar, const Rect& area, bool busy, const Ui& ui) {
  // Held for the frame, as drawing may start another computation.
  const std::shared_ptr<const Result> result = workspace_.shown().current().result;
  if (!result) return draw_empty(area, busy, ui);
  ResultView& view = workspace_.is_browsing() ? workspace_.browser().view(*result)
                                              : views_[workspace_.live().selected()];
  view.draw(workspace_.shown(), bar, area, ui);
}

void ViewPane::draw_empty(const Rect& area, bool busy, const Ui& ui) {
  const bool browsing = workspace_.is_browsing();
  if (busy) return draw_centered(browsing ? "Loading …" : "Computing …", area);
  if (!browsing) return draw_centered("No result yet", area);
  draw_centered("Open a folder that a run or a sweep wrote, or drop it here.", area);
  const float width = ui.px(120);
  ImGui::SetCursorScreenPos(
      shim::vec({area.x + std::max(0.0, (area.width - static_cast<double>(width)) / 2),
                 area.y + area.height / 2 + 30 * ui.scale}));
  if (ImGui::Button("Open …", ImVec2(width, 0))) actions_.perform("open");
}

/// The gap above the findings. Dragging it resizes them; a double click hides or shows them.
void ViewPane::draw_grip(const Rect& grip, double findings_height, const Ui& ui) {
  ImGui::SetCursorScreenPos(shim::vec({grip.x, grip.y}));
  ImGui::InvisibleButton("findings grip", area_size(grip));
  mark_item(ui, "grip findings");
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  if (hovered || held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  const double width = grip_width * ui.scale, height = std::round(grip_height * ui.scale);
  const Point at{grip.x + (grip.width - width) / 2, grip.y + (grip.height - height) / 2};
  ImGui::GetWindowDrawList()->AddRectFilled(
      shim::vec(at), shim::vec({at.x + width, at.y + height}),
      ImGui::GetColorU32(hovered || held ? ImGuiCol_TextDisabled : ImGuiCol_Border), ui.px(2));
  if (!held) tooltip(ui, "Drag to resize the checks. Double-click to hide or show them.");
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    return actions_.perform("toggle_findings");
  const float by = ImGui::GetIO().MouseDelta.y;
  if (!held || by == 0.0f) return;
  // The layout hides findings below the least readable height; dragging on brings them back.
  Look& look = workspace_.live().look;
  const double now = look.findings.value_or(findings_height / ui.scale);
  look.findings = std::max(0.0, now - static_cast<double>(by) / ui.scale);
}

void ViewPane::draw_boxes(const Layout& layout, const Ui& ui) {
  if (layout.findings.height > 0) {
    begin_area("findings", layout.findings, raised_color(ui.style));
    draw_findings(*workspace_.shown().current().result, ui);
    ImGui::EndChild();
  }
  if (layout.message.height > 0) {
    const bool awaits = !workspace_.shown().current().awaits.empty();
    const Color background =
        awaits ? raised_color(ui.style) : mix(ui.style.background, fails_color(ui.style), 0.18);
    begin_area("message", layout.message, background);
    draw_message(workspace_.shown());
    ImGui::EndChild();
  }
}

}  // namespace orrery
