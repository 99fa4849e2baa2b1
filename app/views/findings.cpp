#include "app/views/findings.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/theme.h"
#include "app/views/readout.h"

namespace orrery {
namespace {

/// "0.31 ≤ 0.5", or "0.7 > 0.5" when it should have been less.
std::string comparison(const Check& check) {
  const bool upper = check.relation == Relation::at_most;
  const char* relation = check.holds() ? (upper ? "≤" : "≥") : (upper ? ">" : "<");
  return fmt::format("{} {} {}", readout_number(check.measured), relation,
                     readout_number(check.bound));
}

void draw_check(const Check& check, const Ui& ui) {
  const bool holds = check.holds();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_colored(holds ? holds_color(ui.style) : fails_color(ui.style), holds ? "✓" : "✗");
  ImGui::TableNextColumn();
  text(check.statement);
  tooltip(ui, check.equation.empty() ? check.statement
                                     : fmt::format("{}\n{}", check.statement, check.equation));
  ImGui::TableNextColumn();
  text_muted(check.equation);
  ImGui::TableNextColumn();
  const std::string numbers = comparison(check);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(numbers.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  if (holds)
    text(numbers);
  else
    text_colored(fails_color(ui.style), numbers);
}

void draw_checks(const Result& result, const Ui& ui) {
  const ImGuiTableFlags flags = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("checks", 4, flags)) return;
  ImGui::TableSetupColumn("mark", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("statement", ImGuiTableColumnFlags_WidthStretch, 3.0f);
  ImGui::TableSetupColumn("equation", ImGuiTableColumnFlags_WidthStretch, 1.0f);
  ImGui::TableSetupColumn("numbers", ImGuiTableColumnFlags_WidthFixed);
  for (const Check& check : result.checks) draw_check(check, ui);
  ImGui::EndTable();
}

std::string scalar_text(const Scalar& scalar) {
  const std::string& name = scalar.symbol.empty() ? scalar.name : scalar.symbol;
  const std::string unit = scalar.unit.empty() ? "" : " " + scalar.unit;
  return fmt::format("{} = {}{}", name, readout_number(scalar.value), unit);
}

/// Scalars flow like words.
void draw_scalars(const Result& result, const Ui& ui) {
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (std::size_t i = 0; i < result.scalars.size(); ++i) {
    const std::string words = scalar_text(result.scalars[i]);
    if (i > 0) {
      ImGui::SameLine(0, ui.px(18));
      if (ImGui::GetCursorScreenPos().x + ImGui::CalcTextSize(words.c_str()).x > right)
        ImGui::NewLine();
    }
    text_muted(words);
    tooltip(ui, result.scalars[i].description);
  }
}

}  // namespace

void draw_findings(const Result& result, const Ui& ui) {
  if (!result.checks.empty()) draw_checks(result, ui);
  if (!result.scalars.empty()) draw_scalars(result, ui);
}

double findings_height(const Result& result, const Ui& ui) {
  const ImGuiStyle& look = ImGui::GetStyle();
  const double line = static_cast<double>(ImGui::GetTextLineHeight() + 2 * look.CellPadding.y);
  const double scalar_lines = result.scalars.empty() ? 0.0 : 1.6;
  return static_cast<double>(result.checks.size()) * (line + ui.scale) + scalar_lines * line;
}

std::size_t holding(const Result& result) {
  return static_cast<std::size_t>(std::count_if(result.checks.begin(), result.checks.end(),
                                                [](const Check& check) { return check.holds(); }));
}

}  // namespace orrery
