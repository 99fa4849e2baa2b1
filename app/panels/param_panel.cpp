#include "app/panels/param_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/gui/imgui_shim.h"
#include "app/panels/param_controls.h"
#include "app/session/actions.h"
#include "app/session/file_targets.h"
#include "app/session/number_scale.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/setup/frequency_bands.h"

namespace orrery {
namespace {

/// Description, symbol, unit, range and default of a parameter.
std::string param_tooltip(const ParamSpec& spec) {
  std::string about = spec.description;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) about += fmt::format("\n{}: {}", name, value);
  };
  line("key", spec.key);
  line("symbol", spec.symbol);
  line("unit", spec.unit);
  if (std::isfinite(spec.min) && std::isfinite(spec.max))
    line("range", fmt::format("{} to {}", number_text(spec.min), number_text(spec.max)));
  if (spec.multiple_of > 1) line("multiple of", std::to_string(spec.multiple_of));
  line("files", file_types_text(spec));
  line("default", to_text(spec.default_value));
  line("known", known_values_text(spec));
  if (is_number(spec) && fits_slider(spec))
    about += "\nAlt, or the mouse above or below the slider, drags it finely.";
  return about;
}

/// Why the figures did not change when this control was moved; empty unless it was moved last.
std::string why_unmoved(const Session& session, std::string_view key) {
  const auto& moved = session.current().moved;
  const auto& figures = session.on_screen;
  if (!moved || moved->key != key || !(moved->params == session.current().params)) return "";
  const bool same = std::all_of(figures.begin(), figures.end(), [&](const Figure* figure) {
    return moved->unchanged.contains(figure->id);
  });
  if (!same) return "";
  const auto named = [](const std::string& value) { return value.empty() ? "none" : value; };
  return fmt::format("{} in place of {} changed nothing in the figure{} on screen.",
                     named(moved->to), named(moved->from), figures.size() == 1 ? "" : "s");
}

// More parameters than this are searched rather than read through.
constexpr std::ptrdiff_t many_params = 15;

std::string value_text(const Session& session, const ParamSpec& spec) {
  const std::string number = value_shown(session, spec);
  return spec.unit.empty() ? number : fmt::format("{} {}", number, spec.unit);
}

/// Moves the cursor so that an item of this width ends at the right edge.
void align_right(float width) {
  ImGui::SameLine();
  const float room = ImGui::GetContentRegionAvail().x - width;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
}

float reset_width() { return ImGui::CalcTextSize("↺").x; }

void reset_button(Session& session, const ParamSpec& spec, const Ui& ui) {
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
  if (ImGui::Button("↺")) session.reset(spec.key);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  const std::string value = to_text(spec.default_value);
  tooltip(ui, fmt::format("Resets to {}.", value.empty() ? "none" : value));
}

/// Symbol and key at the left; at the right the number of a slider, and the way back.
void label(Session& session, const ParamSpec& spec, bool lit, EquationView& equations,
           const Ui& ui) {
  const std::string& symbol = spec.symbol;
  ImGui::BeginGroup();
  if (!symbol.empty() && plain_text(symbol) != spec.key) {
    if (lit) ImGui::PushStyleColor(ImGuiCol_Text, shim::floats(accent_text_color(ui.style)));
    draw_rich_text(ui, symbol);
    if (lit) ImGui::PopStyleColor();
    ImGui::SameLine();
  }
  const std::string title = param_title(spec);
  lit ? text_colored(accent_text_color(ui.style), title) : text_muted(title);
  if (spec.key == mixer_key) {
    ImGui::SameLine();
    text_muted("· wavelengths in tokens");
  }
  ImGui::EndGroup();
  if (ImGui::IsItemHovered()) equations.explain(session, spec, explanation(session, spec), ui);
  mark_item(ui, "label " + spec.key);
  const ParamSet& params = session.current().params;
  const bool changed = !params.is_default(spec.key);
  const float reset = changed ? reset_width() + ui.px(8) : 0.0f;
  if (is_number(spec) && fits_slider(spec)) {
    std::string number = value_text(session, spec);
    const float label_end = ImGui::GetItemRectMax().x + ui.px(8);
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x - reset;
    if (ImGui::CalcTextSize(number.c_str()).x > right - label_end)
      number = value_shown(session, spec);
    align_right(ImGui::CalcTextSize(number.c_str()).x + reset);
    draw_text(number);
  }
  if (!changed) return;
  align_right(reset_width());
  reset_button(session, spec, ui);
}

/// The declared order, except that the frequency mixer follows the choice of encoding that shows
/// it.
std::vector<const ParamSpec*> in_panel_order(const ParamSet& params) {
  std::vector<const ParamSpec*> order;
  for (const ParamSpec& spec : params.specs()) order.push_back(&spec);
  const auto place = [&](std::string_view key) {
    return std::find_if(order.begin(), order.end(),
                        [&](const ParamSpec* spec) { return spec->key == key; });
  };
  const auto mixer = place(mixer_key);
  if (mixer == order.end() || !(*mixer)->used_when) return order;
  const auto chooser = place((*mixer)->used_when->key);
  if (chooser < mixer) std::rotate(chooser + 1, mixer, mixer + 1);
  return order;
}

}  // namespace

std::string why_ignored(const Session& session, std::string_view key) {
  const ExperimentInfo& info = session.current().experiment->info;
  const ParamSet& params = session.current().params;
  if (std::string fixed = why_fixed(session, key); !fixed.empty()) return fixed;
  const auto& figures = session.on_screen;
  const bool all = std::all_of(figures.begin(), figures.end(), [&](const Figure* figure) {
    return ignores(info, *figure, params.spec(key), params);
  });
  if (figures.empty()) return "";
  if (!all) return why_unmoved(session, key);
  return figures.size() == 1 ? "Changes nothing in the figure on screen."
                             : "Changes nothing in the figures on screen.";
}

Dimmed::Dimmed(bool dims) : dims_(dims) {
  constexpr float opacity = 0.45f;
  if (dims_) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, opacity);
}

Dimmed::~Dimmed() {
  if (dims_) ImGui::PopStyleVar();
}

std::string explanation(const Session& session, const ParamSpec& spec) {
  const std::string reason = why_ignored(session, spec.key);
  return reason.empty() ? param_tooltip(spec) : reason + '\n' + param_tooltip(spec);
}

bool ParamPanel::typed_text(Session& session, const ParamSpec& spec, const std::string& hint) {
  const ExperimentState& state = session.current();
  const std::string present = state.params.to_text(spec.key);
  std::string& text = typed_[state.experiment->info.name + "/" + spec.key];
  ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue;
  const bool takes_words = has_type(spec, "*");
  if (takes_words) flags |= ImGuiInputTextFlags_AutoSelectAll;
  const bool entered = ImGui::InputTextWithHint("##value", hint.c_str(), &text, flags);
  const bool editing = ImGui::IsItemActive();
  if (entered) takes_words ? session.set_text(spec.key, text) : session.set(spec.key, text);
  if (!editing && !entered) text = present;
  return editing;
}

void ParamPanel::file(Session& session, const ParamSpec& spec) {
  if (typed_text(session, spec, "Drop or type: " + file_types_text(spec)))
    last_file_key_ = spec.key;
}

void ParamPanel::slider(Session& session, const ParamSpec& spec, const Ui& ui) {
  const bool typing = typing_key_ == spec.key;
  if (!typing) {
    // A thin track below the number.
    ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0, 0, 0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(9), 0));
  }
  slider_control(session, spec);
  if (!typing) {
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
  }
  const bool types = ImGui::IsItemActive() && ImGui::GetIO().WantTextInput;
  if (types)
    typing_key_ = spec.key;
  else if (typing)
    typing_key_.clear();
}

void ParamPanel::control(Session& session, const ParamSpec& spec, const Ui& ui) {
  switch (spec.kind) {
    case ParamKind::boolean:
      return boolean_control(session, spec);
    case ParamKind::integer:
    case ParamKind::real:
      return fits_slider(spec) ? slider(session, spec, ui) : number_control(session, spec);
    case ParamKind::choice:
      return choice_control(session, spec, ui);
    case ParamKind::choice_list:
      return spec.key == mixer_key ? mixer_control(session, ui)
                                   : choice_list_control(session, spec, ui);
    case ParamKind::number_list:
      typed_text(session, spec, "Numbers joined by +");
      return;
    case ParamKind::file:
      return file(session, spec);
    case ParamKind::text:
      typed_text(session, spec, "");
      return;
  }
}

bool ParamPanel::is_shown(const ParamSet& params, const ParamSpec& spec) const {
  if (!params.is_used(spec.key)) return false;
  if (wanted_.empty() || focus_ == spec.key) return true;
  return fuzzy_score(wanted_, spec.key) || fuzzy_score(wanted_, param_title(spec)) ||
         plain_text(spec.symbol) == wanted_ ||
         plain_text(spec.description).find(wanted_) != std::string::npos;
}

/// A field that finds parameters, where there are more than fit at a glance.
void ParamPanel::draw_search(const ParamSet& params, const Ui& ui) {
  const auto used = std::count_if(
      params.specs().begin(), params.specs().end(),
      [&](const ParamSpec& spec) { return spec.group.empty() && params.is_used(spec.key); });
  if (used < many_params) return wanted_.clear();
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##wanted", "Find a parameter", &wanted_);
  ImGui::Dummy(ImVec2(0, ui.px(2)));
}

bool ParamPanel::heading(const ParamSet& params, const std::string& group, const Ui& ui) const {
  std::size_t changed = 0;
  bool focused = false;
  for (const ParamSpec& spec : params.specs()) {
    if (spec.group != group || !params.is_used(spec.key)) continue;
    if (!params.is_default(spec.key)) ++changed;
    focused = focused || spec.key == focus_;
  }
  if (focused) ImGui::SetNextItemOpen(true);
  const std::string count = changed == 0 ? "" : fmt::format(" · {} changed", changed);
  const bool open = ImGui::CollapsingHeader(fmt::format("{}{}###{}", group, count, group).c_str());
  std::string place = group;  // a place's name in a script is one word
  std::replace(place.begin(), place.end(), ' ', '_');
  mark_item(ui, "group " + place);
  return open;
}

void ParamPanel::row(Session& session, const ParamSpec& spec, EquationView& equations,
                     const SymbolLink& shown, SymbolLink& next, const Ui& ui) {
  ImGui::PushID(spec.key.c_str());
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const Dimmed dimmed(!why_ignored(session, spec.key).empty());
  label(session, spec, is_symbol_of(spec, shown.symbol), equations, ui);
  ImGui::SetNextItemWidth(-1);
  if (focus_ == spec.key) {
    ImGui::SetScrollHereY();
    shim::focus_next_item();
  }
  const ImVec2 control_from = ImGui::GetCursorScreenPos();
  control(session, spec, ui);
  if (ui.item_rects) {
    const ImVec2 end = ImGui::GetCursorScreenPos();
    ui.item_rects->mark("param " + spec.key,
                        {static_cast<double>(control_from.x), static_cast<double>(control_from.y),
                         static_cast<double>(width), static_cast<double>(end.y - control_from.y)});
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Right))
    session.reset(spec.key);
  const ImVec2 to(from.x + width, ImGui::GetCursorScreenPos().y);
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
      ImGui::IsMouseHoveringRect(from, to))
    next.key = spec.key;
  ImGui::Dummy(ImVec2(0, ui.px(2)));
  ImGui::PopID();
}

void ParamPanel::draw(Session& session, EquationView& equations, const SymbolLink& shown,
                      SymbolLink& next, const Ui& ui) {
  // A copy of the handle: the edits below replace the set that owns the specifications.
  const ParamSet params = session.current().params;
  draw_search(params, ui);
  std::size_t count = 0;
  std::string group;
  bool open = true;
  for (const ParamSpec* spec : in_panel_order(params)) {
    if (!is_shown(params, *spec)) continue;
    if (spec->group != group) {
      group = spec->group;
      // Matching parameters show even in folded groups.
      open = group.empty() || !wanted_.empty() || heading(params, group, ui);
    }
    if (open) row(session, *spec, equations, shown, next, ui);
    ++count;
  }
  if (count == 0) text_muted("No matching parameter");
  focus_.clear();
}

void ParamPanel::drop_file(Session& session, const std::string& path) {
  const std::string key = best_file_key(session.current().params, path, last_file_key_);
  last_file_key_.clear();
  if (!key.empty()) return set_file(session, {session.selected(), key}, path);
  session.say(
      fmt::format("{}: no parameter of this view reads such a file; see the file parameters of {}",
                  path, session.current().experiment->info.title));
}

}  // namespace orrery
