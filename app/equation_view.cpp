#include "app/equation_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/canvas/imgui_canvas.h"
#include "app/imgui_shim.h"
#include "experiments/figure/equation/catalogue.h"

namespace orrery {
namespace {

constexpr double kSize = 16, kLeastSize = 11;
constexpr double kGap = 44;
constexpr double kTipWidth = 340;
constexpr const char* kMeasure = "measure";  // the parameter that formulas may depend on

/// Under which name the formulas of what is set stand in the catalogue.
std::string formulas_name(const ExperimentState& state) {
  const std::string& name = state.experiment->info().name;
  if (!state.params.has(kMeasure)) return name;
  const std::string chosen = name + "/" + state.params.to_text(kMeasure);
  return equations_of(chosen).empty() ? name : chosen;
}

/// The names that light up when the control of this parameter is under the mouse.
std::vector<std::string> names_of(const Session& session, const std::string& key) {
  const ParamSet& params = session.current().params;
  if (key.empty() || !params.has(key)) return {};
  std::string symbol = params.spec(key).symbol.empty() ? key : params.spec(key).symbol;
  if (const std::size_t zero = symbol.find("₀"); zero != std::string::npos)
    symbol.replace(zero, std::string_view("₀").size(), "_0");
  return {symbol};
}

/// The parameter that a formula calls so, if it is one that is read at present.
const ParamSpec* param_of(const ParamSet& params, const std::string& name) {
  for (const ParamSpec& spec : params.specs())
    if (is_symbol_of(spec, name) && params.is_used(spec.key)) return &spec;
  return nullptr;
}

std::string explanation(const ParamSet& params, const std::string& name, const ParamSpec* spec) {
  const std::string_view meaning = symbol_meaning(name);
  if (!spec) return meaning.empty() ? std::string() : fmt::format("{}: {}", name, meaning);
  const std::string unit = spec->unit.empty() ? std::string() : " " + spec->unit;
  return fmt::format("{}: {} = {}{}\n{}", name, spec->key, params.to_text(spec->key), unit,
                     spec->description);
}

}  // namespace

bool is_symbol_of(const ParamSpec& spec, std::string_view name) {
  if (spec.symbol.empty()) return spec.key == name;
  if (spec.symbol == name) return true;
  const std::size_t zero = spec.symbol.find("₀");
  return zero != std::string::npos && spec.symbol.substr(0, zero) + "_0" == name;
}

const std::vector<EquationView::Formula>& EquationView::formulas(const Session& session) {
  const std::string name = formulas_name(session.current());
  if (name == experiment_) return formulas_;
  experiment_ = name;
  formulas_.clear();
  for (const SetEquation& equation : equations_of(name))
    formulas_.push_back({parse_equation(equation.tex), std::string(equation.source)});
  return formulas_;
}

const EquationView::Formula* EquationView::formula_with(const Session& session,
                                                        const ParamSpec& spec) {
  const auto names_it = [&](const EquationNode& node, const auto& self) -> bool {
    return is_symbol_of(spec, equation_name(node)) ||
           std::any_of(node.children.begin(), node.children.end(),
                       [&](const EquationNode& child) { return self(child, self); });
  };
  for (const Formula& formula : formulas(session))
    if (names_it(formula.tree, names_it)) return &formula;
  return nullptr;
}

void EquationView::explain(const Session& session, const ParamSpec& spec, const std::string& words,
                           const Ui& ui) {
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ui.px(kTipWidth));
  text(words);
  ImGui::PopTextWrapPos();
  if (const Formula* formula = formula_with(session, spec)) {
    ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
    EquationBox box = lay_out(formula->tree, canvas, kSize * ui.scale);
    const double room = 1.5 * kTipWidth * ui.scale;
    if (box.width > room) box = lay_out(formula->tree, canvas, kSize * ui.scale * room / box.width);
    const Point corner = shim::point(ImGui::GetCursorScreenPos());
    ImGui::Dummy(shim::vec({box.width, box.height()}));
    draw_equation(canvas, box, {corner.x, corner.y + box.ascent}, ui.style.text,
                  {.names = names_of(session, spec.key), .color = ui.style.accent});
    if (!formula->source.empty()) text_muted(formula->source);
  }
  ImGui::EndTooltip();
}

/// As many formulas as have room side by side; the first one alone is set smaller if it must be.
std::vector<EquationView::Placed> EquationView::place(const Session& session, Point corner,
                                                      double width, const Ui& ui) {
  const ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
  std::vector<Placed> placed;
  double x = 0, ascent = 0;
  for (const Formula& formula : formulas(session)) {
    EquationBox box = lay_out(formula.tree, canvas, kSize * ui.scale);
    if (placed.empty() && box.width > width)
      box = lay_out(formula.tree, canvas, kSize * ui.scale * width / box.width);
    const bool legible = !box.glyphs.empty() && box.glyphs[0].size >= kLeastSize * ui.scale;
    if (x + box.width > width + 1 || !legible) break;
    ascent = std::max(ascent, box.ascent);
    const double step = box.width + kGap * ui.scale;
    placed.push_back({std::move(box), {corner.x + x, 0}, &formula});
    x += step;
  }
  for (Placed& one : placed) one.origin.y = corner.y + ascent;
  return placed;
}

double EquationView::height(const Session& session, double width, const Ui& ui) {
  double ascent = 0, descent = 0;
  for (const Placed& one : place(session, {}, width, ui)) {
    ascent = std::max(ascent, one.box.ascent);
    descent = std::max(descent, one.box.descent);
  }
  return ascent + descent;
}

void EquationView::draw(const Session& session, const Rect& area, const SymbolLink& shown,
                        SymbolLink& next, const Ui& ui) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
  const ParamSet& params = session.current().params;
  EquationHighlight highlight{.names = names_of(session, shown.key), .color = ui.style.accent};
  if (!shown.symbol.empty()) highlight.names.push_back(shown.symbol);
  const Point cursor = shim::point(ImGui::GetIO().MousePos);
  const bool hovered = ImGui::IsWindowHovered() && area.contains(cursor);
  for (const Placed& one : place(session, {area.x, area.y}, area.width, ui)) {
    draw_equation(canvas, one.box, one.origin, ui.style.text, highlight);
    const Rect box{one.origin.x, one.origin.y - one.box.ascent, one.box.width, one.box.height()};
    if (!hovered || !box.contains(cursor)) continue;
    next.symbol = symbol_at(one.box, {cursor.x - one.origin.x, cursor.y - one.origin.y});
    const ParamSpec* spec = param_of(params, next.symbol);
    if (spec && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) next.clicked = spec->key;
    std::string words = explanation(params, next.symbol, spec);
    if (words.empty()) words = one.formula->source;
    if (!words.empty()) show_tooltip(ui, words);
  }
}

}  // namespace orrery
