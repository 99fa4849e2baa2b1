#include "app/panels/status_line.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/views/readout.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

constexpr double column_gap = 12;
constexpr double min_statement = 220;
// Claims are read at a glance; the tables hold every digit.
constexpr int check_digits = 3;
constexpr double scalar_gap = 20;

/// The opposite sign, for a relation that does not hold.
std::string_view opposite_sign(Relation relation) {
  if (relation == Relation::equals) return "≠";
  return relation == Relation::at_most ? ">" : "<";
}

/// "0.31 ≤ 0.5", or "0.7 > 0.5" when it should have been less.
std::string comparison(const Check& check) {
  const std::string_view relation =
      check.holds() ? sign_of(check.relation) : opposite_sign(check.relation);
  return fmt::format("{} {} {}", readout_number(check.measured, check_digits), relation,
                     readout_number(check.bound, check_digits));
}

/// Widths of the columns; the statement takes what the others leave, and wraps. Where that is too
/// little, the equation goes (the tooltip has it), then the numbers move below the statement.
struct Columns {
  double mark{};
  double statement{};
  double equation{};
  double numbers{};
  bool stacked{};
};

Columns columns_of(const Result& result, double width, const Ui& ui) {
  Columns columns{.mark = text_width("✓")};
  for (const Check& check : result.checks) {
    columns.equation = std::max(columns.equation, rich_width(ui, check.equation));
    columns.numbers = std::max(columns.numbers, text_width(comparison(check)));
  }
  const double gap = column_gap * ui.scale, least = min_statement * ui.scale;
  const auto rest = [&](double others) {
    return std::max(1.0, width - columns.mark - gap - others);
  };
  columns.statement = rest(columns.equation + columns.numbers + 2 * gap);
  if (columns.equation == 0.0 || columns.statement < least) {
    columns.equation = 0.0;
    columns.statement = rest(columns.numbers + gap);
  }
  columns.stacked = columns.statement < least;
  if (columns.stacked) columns.statement = rest(0.0);
  return columns;
}

double statement_height(const Check& check, const Columns& columns, const Ui& ui) {
  return rich_height(ui, check.statement, columns.statement);
}

double check_height(const Check& check, const Columns& columns, const Ui& ui) {
  const double numbers = columns.stacked ? static_cast<double>(ImGui::GetTextLineHeight()) : 0.0;
  return statement_height(check, columns, ui) + numbers;
}

double row_gap(const Ui& ui) { return 5 * ui.scale; }

void draw_check(const Check& check, const Columns& columns, const Ui& ui) {
  const bool holds = check.holds();
  const Color verdict = holds ? holds_color(ui.style) : fails_color(ui.style);
  const double gap = column_gap * ui.scale;
  const Point at = shim::point(ImGui::GetCursorScreenPos());
  const auto move_to = [&](double x, double y = 0.0) {
    ImGui::SetCursorScreenPos(shim::vec({at.x + x, at.y + y}));
  };
  ImGui::BeginGroup();
  text_colored(verdict, holds ? "✓" : "✗");
  double x = columns.mark + gap;
  move_to(x);
  draw_rich_text(ui, check.statement, columns.statement);
  const double numbers_x = x;
  x += columns.statement + gap;
  if (columns.equation > 0) {
    move_to(x);
    rich_muted(ui, check.equation);
    x += columns.equation + gap;
  }
  const std::string numbers = comparison(check);
  if (columns.stacked)
    move_to(numbers_x, statement_height(check, columns, ui));
  else
    move_to(x + columns.numbers - text_width(numbers));
  text_colored(holds ? ui.style.text : verdict, numbers);
  ImGui::EndGroup();
  tooltip(ui, check.equation.empty() ? check.statement.str()
                                     : fmt::format("{}\n{}", check.statement, check.equation));
  ImGui::SetCursorScreenPos(
      shim::vec({at.x, at.y + check_height(check, columns, ui) + row_gap(ui)}));
}

/// A symbol may be shared by several scalars; then their names tell them apart.
bool has_own_symbol(const Result& result, const Scalar& scalar) {
  const auto same = [&](const Scalar& other) { return other.symbol == scalar.symbol; };
  return !scalar.symbol.empty() &&
         std::count_if(result.scalars.begin(), result.scalars.end(), same) == 1;
}

std::string scalar_text(const Result& result, const Scalar& scalar) {
  const std::string name =
      has_own_symbol(result, scalar) ? scalar.symbol.str() : spaced(scalar.name);
  if (std::isnan(scalar.value)) return name + ": none";
  const std::string unit = scalar.unit.empty() ? "" : " " + scalar.unit;
  return fmt::format("{}: {}{}", name, readout_number(scalar.value), unit);
}

/// Where the scalars break into lines: how many begin each line.
std::vector<std::size_t> scalar_lines(const Result& result, double width, const Ui& ui) {
  std::vector<std::size_t> lines;
  double x = 0.0;
  for (const Scalar& scalar : result.scalars) {
    const double words = rich_width(ui, scalar_text(result, scalar));
    if (lines.empty() || x + words > width) {
      lines.push_back(0);
      x = 0.0;
    }
    ++lines.back();
    x += words + scalar_gap * ui.scale;
  }
  return lines;
}

void draw_scalars(const Result& result, double width, const Ui& ui) {
  std::size_t next = 0;
  for (const std::size_t count : scalar_lines(result, width, ui)) {
    for (std::size_t i = 0; i < count; ++i, ++next) {
      if (i > 0) ImGui::SameLine(0, ui.px(scalar_gap));
      rich_muted(ui, scalar_text(result, result.scalars[next]));
      tooltip(ui, result.scalars[next].description);
    }
  }
}

}  // namespace

void draw_findings(const Result& result, const Ui& ui) {
  const double width = static_cast<double>(ImGui::GetContentRegionAvail().x);
  const Columns columns = columns_of(result, width, ui);
  for (const Check& check : result.checks) draw_check(check, columns, ui);
  draw_scalars(result, width, ui);
}

double findings_height(const Result& result, double width, const Ui& ui) {
  const Columns columns = columns_of(result, width, ui);
  double height = 0.0;
  for (const Check& check : result.checks)
    height += statement_height(check, columns, ui) + row_gap(ui);
  const auto lines = static_cast<double>(scalar_lines(result, width, ui).size());
  return height + lines * static_cast<double>(ImGui::GetTextLineHeightWithSpacing());
}

std::size_t holding(const Result& result) {
  return static_cast<std::size_t>(std::count_if(result.checks.begin(), result.checks.end(),
                                                [](const Check& check) { return check.holds(); }));
}

}  // namespace orrery
