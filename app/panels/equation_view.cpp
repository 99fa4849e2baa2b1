#include "app/panels/equation_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/gui/imgui_canvas.h"
#include "app/gui/imgui_shim.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

constexpr double base_size = 16, min_size = 11;
constexpr double figure_gap = 44;

FigureRole role_on_top(const ExperimentState& state) {
  if (state.shown.layout != ViewLayout::single || !state.result) return {};
  const std::vector<Figure>& figures = state.result->figures;
  const auto chosen = std::find_if(figures.begin(), figures.end(),
                                   [&](const Figure& figure) { return figure.id == state.figure; });
  if (chosen != figures.end()) return chosen->role;
  return state.figure.empty() && !figures.empty() ? figures.front().role : FigureRole{};
}

/// The chosen values of the parameters that formulas may depend on.
Settings choices(const ExperimentInfo& info, const ParamSet& params) {
  Settings set;
  const auto add = [&](const std::string& key) {
    if (params.has(key)) set.emplace_back(key, params.to_text(key));
  };
  if (const ParamSpec* encodings = params.with_role(ParamRole::encodings)) add(encodings->key);
  for (const FormulasOfChoice& choice : info.formulas_of_choices) add(choice.key);
  return set;
}

/// What formulas call a parameter.
std::string symbol_name(const ParamSpec& spec) {
  return spec.symbol.empty() ? spec.key : equation_name(known_text(spec.symbol));
}

/// The names that light up when the control of this parameter is under the mouse.
std::vector<std::string> names_of(const Session& session, const std::string& key) {
  const ParamSet& params = session.current().params;
  if (key.empty() || !params.has(key)) return {};
  return {symbol_name(params.spec(key))};
}

/// The parameter whose symbol this is, if the experiment reads it at present.
const ParamSpec* param_of(const ParamSet& params, const std::string& name) {
  for (const ParamSpec& spec : params.specs())
    if (is_symbol_of(spec, name) && params.is_used(spec.key)) return &spec;
  return nullptr;
}

/// A name of equation_name as a formula.
std::string marked_name(const std::string& name) {
  const std::size_t index = name.find('_');
  if (index == std::string::npos) return "$" + name + "$";
  return fmt::format("${}_{{{}}}$", name.substr(0, index), name.substr(index + 1));
}

std::string explanation(const FormulaSubject& subject, const ParamSet& params,
                        const std::string& name, const ParamSpec* spec) {
  const std::string_view meaning = symbol_meaning(subject, name);
  if (!spec)
    return meaning.empty() ? std::string() : fmt::format("{}: {}", marked_name(name), meaning);
  const std::string unit = spec->unit.empty() ? std::string() : " " + spec->unit;
  return fmt::format("{}: {} = {}{}\n{}", spec->symbol.empty() ? name : spec->symbol, spec->key,
                     as_marked(params.to_text(spec->key)), unit, spec->description);
}

}  // namespace

FormulaSubject formula_subject(const ExperimentState& state) {
  const ExperimentInfo& info = state.experiment->info;
  return {info.name, choices(info, state.params), role_on_top(state)};
}

bool is_symbol_of(const ParamSpec& spec, std::string_view name) {
  return symbol_name(spec) == name;
}

const std::vector<EquationView::Parsed>& EquationView::formulas(const Session& session) {
  FormulaSubject subject = formula_subject(session.current());
  if (subject == subject_) return formulas_;
  formulas_.clear();
  for (const Formula& formula : formulas_of(subject))
    formulas_.push_back({parse_equation(formula.tex), std::string(formula.source)});
  subject_ = std::move(subject);
  return formulas_;
}

const EquationView::Parsed* EquationView::formula_with(const Session& session,
                                                       const ParamSpec& spec) {
  const auto is_it = [wanted = symbol_name(spec)](const std::string& name) {
    return name == wanted;
  };
  for (const Parsed& formula : formulas(session))
    if (has_part(formula.tree, is_it)) return &formula;
  return nullptr;
}

void EquationView::explain(const Session& session, const ParamSpec& spec, const std::string& words,
                           const Ui& ui) {
  const Parsed* formula = formula_with(session, spec);
  const double words_width = tip_width * ui.scale, room = 1.5 * words_width;
  EquationBox box;
  if (formula) {
    const ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
    box = lay_out(formula->tree, canvas, base_size * ui.scale);
    if (box.width > room)
      box = lay_out(formula->tree, canvas, base_size * ui.scale * room / box.width);
  }
  shim::begin_tooltip(item_rect(), with_padding(std::max(words_width, box.width)));
  draw_rich_text(ui, words, words_width);
  if (formula) {
    ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
    const Point corner = shim::point(ImGui::GetCursorScreenPos());
    ImGui::Dummy(shim::vec({box.width, box.height()}));
    draw_equation(canvas, box, {corner.x, corner.y + box.ascent}, ui.style.text,
                  {.names = names_of(session, spec.key), .color = ui.style.accent});
    if (!formula->source.empty()) text_muted(formula->source);
  }
  shim::end_tooltip();
}

/// As many formulas as have room side by side; the first one alone is set smaller if it must be.
std::vector<EquationView::Placed> EquationView::place(const Session& session, const Rect& area,
                                                      const Ui& ui) {
  const ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
  std::vector<Placed> placed;
  double x = 0, ascent = 0, size = base_size * ui.scale;
  for (const Parsed& formula : formulas(session)) {
    EquationBox box = lay_out(formula.tree, canvas, size);
    const double fit = std::min(area.width / box.width, area.height / box.height());
    if (placed.empty() && fit < 1) {
      // Sizes of glyphs are rounded, so that a formula may shrink by less.
      size = std::max(0.98 * size * fit, min_size * ui.scale);
      box = lay_out(formula.tree, canvas, size);
    }
    if (x + box.width > area.width || box.height() > area.height) break;
    ascent = std::max(ascent, box.ascent);
    const double step = box.width + figure_gap * ui.scale;
    placed.push_back({std::move(box), {area.x + x, 0}, &formula});
    x += step;
  }
  const double width = placed.empty() ? 0 : x - figure_gap * ui.scale;
  for (Placed& one : placed) {
    one.origin.x += area.width - width;
    one.origin.y = area.y + ascent;
  }
  return placed;
}

Size EquationView::size(const Session& session, const Rect& room, const Ui& ui) {
  const std::vector<Placed> placed = place(session, room, ui);
  if (placed.empty()) return {};
  double ascent = 0, descent = 0;
  for (const Placed& one : placed) {
    ascent = std::max(ascent, one.box.ascent);
    descent = std::max(descent, one.box.descent);
  }
  return {room.right() - placed.front().origin.x, ascent + descent};
}

void EquationView::draw(const Session& session, const Rect& room, const SymbolLink& shown,
                        SymbolLink& next, const Ui& ui) {
  ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui.fonts, ui.textures);
  const ParamSet& params = session.current().params;
  EquationHighlight highlight{.names = names_of(session, shown.key), .color = ui.style.accent};
  if (!shown.symbol.empty()) highlight.names.push_back(shown.symbol);
  const Point cursor = shim::point(ImGui::GetIO().MousePos);
  const bool hovered = ImGui::IsWindowHovered() && room.contains(cursor);
  for (const Placed& one : place(session, room, ui)) {
    draw_equation(canvas, one.box, one.origin, ui.style.text, highlight);
    const Rect box{one.origin.x, one.origin.y - one.box.ascent, one.box.width, one.box.height()};
    if (!hovered || !box.contains(cursor)) continue;
    next.symbol = symbol_at(one.box, {cursor.x - one.origin.x, cursor.y - one.origin.y});
    const ParamSpec* spec = param_of(params, next.symbol);
    if (spec && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) next.clicked = spec->key;
    std::string words = explanation(subject_, params, next.symbol, spec);
    if (words.empty()) words = one.formula->source;
    if (!words.empty()) show_tooltip(ui, words);
  }
}

}  // namespace orrery
