#include "app/param_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "app/imgui_shim.h"
#include "app/theme.h"

namespace orrery {
namespace {

constexpr int kSliderDigits = 3;
// A linear slider over more steps than this cannot be aimed; such a number is typed.
constexpr double kMostSteps = 1e6;

bool fits_slider(const ParamSpec& spec) {
  const bool bounded = std::isfinite(spec.min) && std::isfinite(spec.max) && spec.min < spec.max;
  if (!bounded || (spec.logarithmic && spec.min <= 0.0)) return false;
  return spec.logarithmic || spec.kind == ParamKind::real || spec.max - spec.min <= kMostSteps;
}

ImGuiSliderFlags slider_flags(const ParamSpec& spec) {
  return spec.logarithmic ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None;
}

/// printf's format with the unit behind the number.
std::string with_unit(const char* format, const ParamSpec& spec) {
  std::string unit;
  for (const char c : spec.unit) unit += c == '%' ? std::string("%%") : std::string(1, c);
  return unit.empty() ? std::string(format) : fmt::format("{} {}", format, unit);
}

/// Whether the number was typed over the slider (Ctrl+click) rather than dragged.
bool is_typed() { return ImGui::GetIO().WantTextInput; }

void integer(Session& session, const ParamSpec& spec) {
  std::int64_t number = session.current().params.integer(spec.key);
  bool changed = false;
  if (fits_slider(spec)) {
    const auto low = static_cast<std::int64_t>(std::ceil(spec.min));
    const auto high = static_cast<std::int64_t>(std::floor(spec.max));
    changed = ImGui::SliderScalar("##value", ImGuiDataType_S64, &number, &low, &high,
                                  with_unit("%lld", spec).c_str(), slider_flags(spec));
    if (changed && !is_typed()) number = nearest_allowed(spec, number);
  } else {
    const std::int64_t step = spec.multiple_of;
    changed = ImGui::InputScalar("##value", ImGuiDataType_S64, &number, &step, nullptr, "%lld",
                                 ImGuiInputTextFlags_EnterReturnsTrue);
  }
  if (changed) session.set_value(spec.key, number);
}

void real(Session& session, const ParamSpec& spec) {
  double number = session.current().params.real(spec.key);
  bool changed = false;
  if (fits_slider(spec)) {
    changed = ImGui::SliderScalar("##value", ImGuiDataType_Double, &number, &spec.min, &spec.max,
                                  with_unit("%.6g", spec).c_str(), slider_flags(spec));
    if (changed && !is_typed())
      number = std::clamp(rounded_to_digits(number, kSliderDigits), spec.min, spec.max);
  } else {
    changed = ImGui::InputDouble("##value", &number, 0.0, 0.0, "%.6g",
                                 ImGuiInputTextFlags_EnterReturnsTrue);
  }
  if (changed) session.set_value(spec.key, number);
}

void boolean(Session& session, const ParamSpec& spec) {
  bool on = session.current().params.boolean(spec.key);
  if (ImGui::Checkbox(on ? "on" : "off", &on)) session.set_value(spec.key, on);
}

void choice(Session& session, const ParamSpec& spec, const Ui& ui) {
  const std::string present = session.current().params.text(spec.key);
  if (!ImGui::BeginCombo("##value", present.c_str())) return;
  for (const Choice& option : spec.choices) {
    if (ImGui::Selectable(option.name.c_str(), option.name == present))
      session.set_value(spec.key, option.name);
    tooltip(ui, option.description);
  }
  ImGui::EndCombo();
}

/// The palette slot of the curve that bears a choice's name, where there is one.
std::optional<int> color_slot(const ExperimentState& state, const std::string& name) {
  if (!state.result) return std::nullopt;
  for (const Figure& figure : state.result->figures)
    if (const auto* plot = std::get_if<LinePlot>(&figure.content))
      for (const Series& series : plot->series)
        if (series.name == name) return series.color;
  return std::nullopt;
}

void color_dot(const Ui& ui, Color color) {
  const float size = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(at.x + size / 2, at.y + size / 2), ui.px(4.5),
                                              shim::packed(color));
  ImGui::Dummy(ImVec2(size, size));
}

/// The chosen names in the order of the catalogue, with one switched.
std::vector<std::string> switched(const ParamSpec& spec, const std::vector<std::string>& chosen,
                                  const std::string& name) {
  std::vector<std::string> names;
  for (const Choice& option : spec.choices) {
    const bool was = std::find(chosen.begin(), chosen.end(), option.name) != chosen.end();
    if (was != (option.name == name)) names.push_back(option.name);
  }
  return names;
}

void choice_list(Session& session, const ParamSpec& spec, const Ui& ui) {
  const std::vector<std::string> chosen = session.current().params.list(spec.key);
  const int columns = ImGui::GetContentRegionAvail().x > ui.px(230) ? 2 : 1;
  if (!ImGui::BeginTable("##choices", columns, ImGuiTableFlags_SizingStretchSame)) return;
  for (const Choice& option : spec.choices) {
    ImGui::TableNextColumn();
    bool on = std::find(chosen.begin(), chosen.end(), option.name) != chosen.end();
    if (ImGui::Checkbox(option.name.c_str(), &on))
      session.set_value(spec.key, switched(spec, chosen, option.name));
    tooltip(ui, option.description);
    const auto slot = on ? color_slot(session.current(), option.name) : std::nullopt;
    if (!slot || ui.style.palette.empty()) continue;
    ImGui::SameLine(0, 0);
    color_dot(ui, ui.style.palette[static_cast<std::size_t>(*slot) % ui.style.palette.size()]);
  }
  ImGui::EndTable();
}

void label(Session& session, const ParamSpec& spec, const Ui& ui) {
  ImGui::AlignTextToFramePadding();
  ImGui::BeginGroup();
  if (!spec.symbol.empty() && spec.symbol != spec.key) {
    text(spec.symbol);
    ImGui::SameLine();
  }
  text_muted(spec.key);
  ImGui::EndGroup();
  tooltip(ui, param_tooltip(spec));
  if (session.current().params.is_default(spec.key)) return;
  const float width = ImGui::CalcTextSize("↺").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - width);
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
  if (ImGui::Button("↺")) session.reset(spec.key);
  ImGui::PopStyleColor();
  tooltip(ui, fmt::format("back to {}", to_text(spec.default_value)));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return c < 128 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c);
  });
  return text;
}

bool reads(const ParamSpec& spec, const std::string& extension) {
  return spec.kind == ParamKind::file && std::find(spec.file_types.begin(), spec.file_types.end(),
                                                   extension) != spec.file_types.end();
}

}  // namespace

double rounded_to_digits(double value, int digits) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double power = std::pow(10.0, std::abs(digits - 1 - exponent));
  // Dividing by a whole power of ten gives the nearest double of the decimal; multiplying does not.
  return digits - 1 >= exponent ? std::round(value * power) / power
                                : std::round(value / power) * power;
}

std::int64_t nearest_allowed(const ParamSpec& spec, std::int64_t value) {
  const auto step = static_cast<double>(std::max<std::int64_t>(1, spec.multiple_of));
  const double low = std::ceil(spec.min / step), high = std::floor(spec.max / step);
  const double multiple = std::round(static_cast<double>(value) / step);
  return static_cast<std::int64_t>(std::clamp(multiple, low, std::max(low, high)) * step);
}

std::string param_tooltip(const ParamSpec& spec) {
  std::string about = spec.description;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) about += fmt::format("\n{}: {}", name, value);
  };
  line("symbol", spec.symbol);
  line("unit", spec.unit);
  if (std::isfinite(spec.min) && std::isfinite(spec.max))
    line("range", fmt::format("{} to {}", number_text(spec.min), number_text(spec.max)));
  if (spec.multiple_of > 1) line("multiple of", std::to_string(spec.multiple_of));
  if (!spec.file_types.empty()) line("files", fmt::format(".{}", fmt::join(spec.file_types, " .")));
  line("default", to_text(spec.default_value));
  return about;
}

void ParamPanel::file(Session& session, const ParamSpec& spec, const Ui& ui) {
  const ExperimentState& state = session.current();
  const std::string present = state.params.text(spec.key);
  std::string& path = typed_[state.experiment->info().name + "/" + spec.key];
  const std::string hint = spec.file_types.empty() ? "path, or drop a file here"
                                                   : fmt::format(".{}, typed or dropped",
                                                                 fmt::join(spec.file_types, " ."));
  const bool entered = ImGui::InputTextWithHint("##value", hint.c_str(), &path,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  const bool editing = ImGui::IsItemActive();
  if (editing) last_file_key_ = spec.key;
  tooltip(ui, param_tooltip(spec));
  if (entered) session.set(spec.key, path);
  if (!editing && !entered) path = present;
}

void ParamPanel::control(Session& session, const ParamSpec& spec, const Ui& ui) {
  switch (spec.kind) {
    case ParamKind::boolean:
      return boolean(session, spec);
    case ParamKind::integer:
      return integer(session, spec);
    case ParamKind::real:
      return real(session, spec);
    case ParamKind::choice:
      return choice(session, spec, ui);
    case ParamKind::choice_list:
      return choice_list(session, spec, ui);
    case ParamKind::file:
      return file(session, spec, ui);
  }
}

void ParamPanel::draw(Session& session, const Ui& ui) {
  // A copy of the handle: the edits below replace the set that owns the specifications.
  const ParamSet params = session.current().params;
  for (const ParamSpec& spec : params.specs()) {
    if (!params.is_used(spec.key)) continue;
    ImGui::PushID(spec.key.c_str());
    label(session, spec, ui);
    ImGui::SetNextItemWidth(-1);
    control(session, spec, ui);
    if (spec.kind != ParamKind::choice_list && spec.kind != ParamKind::file &&
        !ImGui::IsItemActive())
      tooltip(ui, param_tooltip(spec));
    if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Right))
      session.reset(spec.key);
    ImGui::Dummy(ImVec2(0, ui.px(2)));
    ImGui::PopID();
  }
}

void ParamPanel::drop_file(Session& session, const std::string& path) {
  const ParamSet params = session.current().params;
  std::string extension = lower(std::filesystem::path(path).extension().string());
  if (!extension.empty()) extension.erase(0, 1);
  const ParamSpec* target = nullptr;
  for (const ParamSpec& spec : params.specs()) {
    if (!reads(spec, extension)) continue;
    const bool better = !target || spec.key == last_file_key_ ||
                        (!params.is_used(target->key) && params.is_used(spec.key));
    if (better) target = &spec;
    if (spec.key == last_file_key_) break;
  }
  if (!target) {
    session.say(
        fmt::format("{}: no parameter here reads such a file; see the file parameters of {}", path,
                    session.current().experiment->info().title));
    return;
  }
  if (!params.is_used(target->key) && target->used_when)
    session.set(target->used_when->key, target->used_when->any_of.front());
  session.set(target->key, path);
}

}  // namespace orrery
