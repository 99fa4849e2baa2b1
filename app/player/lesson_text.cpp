#include "app/player/lesson_text.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "app/gui/imgui_canvas.h"
#include "app/gui/imgui_shim.h"
#include "experiments/figure/equation/layout.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/lessons/paragraph.h"

namespace orrery {
namespace {

constexpr double paragraph_gap = 0.55, formula_gap = 0.5;  // in em
constexpr double formula_size = 1.15, smallest_formula = 0.72;
constexpr double item_indent = 1.3;

Color color_of(const ImVec4& c) {
  const auto part = [](float share) { return static_cast<std::uint8_t>(std::lround(255 * share)); };
  return {part(c.x), part(c.y), part(c.z), part(c.w)};
}

}  // namespace

void draw_words(const Ui& ui, const std::string& words, double width) {
  if (has_formula(words)) return draw_rich_text(ui, words, width);
  verbatim_words(ui, plain_text(words), width);
}

void verbatim_words(const Ui& ui, const std::string& words, double width) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
  const ImVec4 color = ImGui::GetStyleColorVec4(ImGuiCol_Text);
  const TextStyle style{.size = current_em(), .color = color_of(color)};
  const ParagraphLayout layout = lay_out_paragraph({{.text = words}}, canvas, width, style);
  const Point at = shim::point(ImGui::GetCursorScreenPos());
  ImGui::Dummy(shim::vec({width, layout.height}));
  draw_paragraph(canvas, layout, at);
}

void quiet_words(const Ui& ui, const std::string& words, double width) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  draw_words(ui, words, width);
  ImGui::PopStyleColor();
}

LessonText::LessonText(const LessonStep& step, const SymbolLink& shown, SymbolLink& next,
                       double width, const Ui& ui)
    : next_(next), highlight_{.color = accent_text_color(ui.style)}, width_(width), ui_(ui) {
  for (const std::string& name : {shown.symbol, shown.key})
    if (!name.empty()) highlight_.names.push_back(name);
  for (const std::string& name : shown.named) highlight_.names.push_back(name);
  for (const Spotlight& light : step.spotlights)
    if (light.kind == Spotlight::Kind::symbol) highlight_.names.push_back(light.name);
}

void LessonText::point_at(const EquationBox& box, Point origin) {
  const Point mouse = shim::point(ImGui::GetIO().MousePos);
  const Rect area{origin.x, origin.y - box.ascent, box.width, box.height()};
  if (!ImGui::IsWindowHovered() || !area.contains(mouse)) return;
  next_.symbol = symbol_at(box, {mouse.x - origin.x, mouse.y - origin.y});
}

void LessonText::draw(const Prose& prose) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui_.fonts, ui_.textures);
  const double em = current_em();
  const double indent = prose.is_item ? item_indent * em : 0;
  const TextStyle style{.size = em, .color = ui_.style.text};
  const ParagraphLayout layout = lay_out_paragraph(prose.spans, canvas, width_ - indent, style);
  const Point corner = shim::point(ImGui::GetCursorScreenPos());
  const Point at{corner.x + indent, corner.y};
  ImGui::Dummy(shim::vec({width_, layout.height + paragraph_gap * em}));
  if (prose.is_item) canvas.text({corner.x + 0.3 * em, corner.y}, "•", style);
  draw_paragraph(canvas, layout, at, highlight_);
  const Point mouse = shim::point(ImGui::GetIO().MousePos);
  for (const auto& piece : layout.pieces) {
    const Point base{at.x + piece.at.x, at.y + piece.at.y};
    if (piece.text.empty()) point_at(piece.box, base);
    if (piece.target.empty()) continue;
    const std::array line{Point{base.x, base.y + 0.18 * em},
                          Point{base.x + piece.width, base.y + 0.18 * em}};
    canvas.line_strip(line, {.color = ui_.style.accent, .width = ui_.scale});
    const Rect box{base.x, base.y - em, piece.width, 1.4 * em};
    if (!ImGui::IsWindowHovered() || !box.contains(mouse)) continue;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) clicked_ = piece.target;
  }
}

void LessonText::draw(const Equation& formula) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui_.fonts, ui_.textures);
  const double em = current_em();
  const EquationNode tree = parse_equation(formula.tex);
  double size = formula_size * em;
  EquationBox box = lay_out(tree, canvas, size);
  if (box.width > width_) {
    // Sizes of glyphs are rounded, so that a formula may shrink by less.
    size = std::max(0.97 * size * width_ / box.width, smallest_formula * em);
    box = lay_out(tree, canvas, size);
  }
  const Point corner = shim::point(ImGui::GetCursorScreenPos());
  const Point origin{corner.x + std::max(0.0, (width_ - box.width) / 2),
                     corner.y + formula_gap * em + box.ascent};
  ImGui::Dummy(shim::vec({width_, box.height() + 2 * formula_gap * em}));
  draw_equation(canvas, box, origin, ui_.style.text, highlight_);
  point_at(box, origin);
  if (formula.source.empty()) return;
  const double source = text_width(formula.source);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + static_cast<float>(width_ - source));
  text_muted(formula.source);
}

}  // namespace orrery
