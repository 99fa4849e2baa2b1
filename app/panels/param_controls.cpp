#include "app/panels/param_controls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/session/number_scale.h"
#include "app/views/gestures.h"
#include "experiments/figure/color/style.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/frequency_bands.h"
#include "experiments/text/ascii.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

// Dear ImGui keeps the grab this far from the ends of a slider.
constexpr float grab_padding = 2.0f;
// Of the height of a slider: how far a tick reaches up, and within which distance a drag snaps.
constexpr float tick_height = 0.22f, snap_distance = 0.2f;

std::vector<KnownValue> in_range(const ParamSpec& spec) {
  const auto known = known_values(spec.key);
  std::vector<KnownValue> inside;
  for (const KnownValue& one : known)
    if (one.value >= spec.min && one.value <= spec.max) inside.push_back(one);
  return inside;
}

/// Where Dear ImGui puts the middle of the grab, in pixels of the screen.
float place_of(const ParamSpec& spec, double value) {
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const float width = to.x - from.x - 2 * grab_padding;
  float grab = ImGui::GetStyle().GrabMinSize;
  if (spec.kind == ParamKind::integer)
    grab = std::max(grab, width / static_cast<float>(spec.max - spec.min + 1));
  grab = std::min(grab, width);
  const double share = moves_by_ratios(spec)
                           ? std::log(value / spec.min) / std::log(spec.max / spec.min)
                           : (value - spec.min) / (spec.max - spec.min);
  return from.x + grab_padding + grab / 2 + static_cast<float>(share) * (width - grab);
}

/// Whether the slider has such ticks: known values lie in its range, on a scale that starts above
/// 0 or is linear.
bool has_ticks(const ParamSpec& spec) {
  return (!moves_by_ratios(spec) || spec.min > 0) && !in_range(spec).empty();
}

/// The known value within a few pixels of the mouse, to which a drag snaps.
std::optional<double> tick_at_mouse(const ParamSpec& spec) {
  if (!has_ticks(spec)) return std::nullopt;
  const float mouse = ImGui::GetIO().MousePos.x;
  const float near = snap_distance * (ImGui::GetItemRectMax().y - ImGui::GetItemRectMin().y);
  for (const KnownValue& one : in_range(spec))
    if (std::abs(place_of(spec, one.value) - mouse) <= near) return one.value;
  return std::nullopt;
}

// Beyond this a number is typed.
constexpr double max_steps = 1e7;
// More boxes than this would push the controls below them out of sight.
constexpr std::size_t most_boxes = 12;
constexpr double popup_width = 300;
constexpr int fine_digits = 4;

ImGuiSliderFlags slider_flags(const ParamSpec& spec) {
  return moves_by_ratios(spec) ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None;
}

/// A count of 0 by ratios leaves the number to what there is: its slider begins at 1.
double least_of_slider(const ParamSpec& spec) {
  const bool left_open = spec.kind == ParamKind::integer && spec.logarithmic && spec.min == 0.0;
  return left_open ? 1.0 : std::ceil(spec.min);
}

/// Whether the number was typed over the slider (Ctrl+click) rather than dragged.
bool is_typed() { return ImGui::GetIO().WantTextInput; }

/// The known value that a drag with the mouse is at; the keyboard steps past it.
std::optional<double> tick_at_mouse_drag(const ParamSpec& spec) {
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) return std::nullopt;
  return tick_at_mouse(spec);
}

/// The way of a slider, 0 to 1.
struct Way {
  double low;
  double high;
  bool ratios;

  double share_of(double number) const {
    const double share =
        ratios ? std::log1p(number - low) / std::log1p(high - low) : (number - low) / (high - low);
    return std::clamp(share, 0.0, 1.0);
  }
  double number_at(double share) const {
    return ratios ? low + std::expm1(share * std::log1p(high - low)) : low + share * (high - low);
  }
  /// How far the least change goes that is worth a pixel: a step of small numbers, a two hundredth
  /// of large ones.
  double least_share(double number, double step) const {
    const double change = std::max(step, std::abs(number) / 200);
    return std::abs(share_of(number + change) - share_of(number));
  }
};

// In lines of text, from the middle of a slider.
constexpr double fine_from = 1.5, fine_halving = 1.0;
constexpr double fine_by_key = 1.0 / 16;

/// The number where the mouse, with Alt or held above or below the slider that was drawn last, moves
/// it finely: half as far a pixel for each line of text that it is away, and with Alt so little that
/// each of its small numbers is met. Empty where it moves it as it is.
/// @param step  between two numbers; 0 where there are any between
std::optional<double> finely_dragged(const Way& way, double number, double step) {
  if (!ImGui::IsItemActive() || !ImGui::IsMouseDown(ImGuiMouseButton_Left) || is_typed())
    return std::nullopt;
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const ImGuiIO& io = ImGui::GetIO();
  const double lines = static_cast<double>(std::abs(io.MousePos.y - (from.y + to.y) / 2) /
                                           ImGui::GetTextLineHeight());
  // Kept between the frames, as what it moves in one may be less than a step.
  float& share = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("##fine"));
  const bool begins = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (begins || (lines < fine_from && !io.KeyAlt)) {
    share = static_cast<float>(way.share_of(number));
    return std::nullopt;
  }
  const double by_distance =
      lines < fine_from ? 1.0 : std::exp2((fine_from - lines) / fine_halving - 1);
  double of_pixel = 1 / static_cast<double>(to.x - from.x);
  if (io.KeyAlt) {
    of_pixel *= fine_by_key;
    if (const double least = way.least_share(number, step); least > 0)
      of_pixel = std::min(of_pixel, least);
  }
  const double moved = by_distance * of_pixel * static_cast<double>(io.MouseDelta.x);
  share = static_cast<float>(std::clamp(static_cast<double>(share) + moved, 0.0, 1.0));
  return way.number_at(static_cast<double>(share));
}

void integer_slider(Session& session, const ParamSpec& spec) {
  auto number = static_cast<std::int64_t>(number_shown(session, spec));
  const std::int64_t before = number;
  const auto low = static_cast<std::int64_t>(least_of_slider(spec));
  const auto high = static_cast<std::int64_t>(std::floor(spec.max));
  const bool changed = ImGui::SliderScalar("##value", ImGuiDataType_S64, &number, &low, &high,
                                           "%lld", slider_flags(spec));
  const Way way{static_cast<double>(low), static_cast<double>(high), moves_by_ratios(spec)};
  const std::optional<double> fine =
      finely_dragged(way, static_cast<double>(before), static_cast<double>(spec.multiple_of));
  draw_ticks(spec);
  if (fine) {
    const std::int64_t nearest = nearest_allowed(spec, std::llround(*fine));
    if (nearest != before) session.set_value(spec.key, nearest);
    return;
  }
  if (!changed) return;
  if (is_typed()) return static_cast<void>(session.set_value(spec.key, number));
  const std::optional<double> tick = tick_at_mouse_drag(spec);
  session.set_value(spec.key,
                    tick ? static_cast<std::int64_t>(*tick) : nearest_allowed(spec, number));
}

void real_slider(Session& session, const ParamSpec& spec) {
  double number = session.current().params.real(spec.key);
  const double before = number;
  const bool changed = ImGui::SliderScalar("##value", ImGuiDataType_Double, &number, &spec.min,
                                           &spec.max, "%.6g", slider_flags(spec));
  const std::optional<double> fine =
      finely_dragged({spec.min, spec.max, moves_by_ratios(spec)}, before, 0.0);
  draw_ticks(spec);
  if (fine) {
    const double nearest = std::clamp(to_digits(*fine, fine_digits), spec.min, spec.max);
    if (nearest != before) session.set_value(spec.key, nearest);
    return;
  }
  if (!changed) return;
  if (is_typed()) return static_cast<void>(session.set_value(spec.key, number));
  const double rounded = to_digits(number, scale_digits);
  session.set_value(spec.key,
                    tick_at_mouse_drag(spec).value_or(std::clamp(rounded, spec.min, spec.max)));
}

/// The palette slot of a choice's curve, where there is one.
std::optional<int> color_slot(const ExperimentState& state, const std::string& choice) {
  if (!state.result) return std::nullopt;
  for (const Figure& figure : state.result->figures)
    if (const auto* plot = std::get_if<LinePlot>(&figure.content))
      for (const Series& series : plot->series)
        if (series.choice == choice && !series.shade) return series.color;
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

constexpr double column_height = 46;
constexpr double gap_width = 3;
constexpr double number_gap = 5;

/// The part of the column that a wavelength fills, on a logarithmic scale up to the longest.
double part_of(double wavelength, double longest) {
  return std::clamp(std::log(wavelength) / std::log(std::max(2.0, longest)), 0.0, 1.0);
}

/// A bar from the bottom to the band's shortest wavelength, and paler on to its longest.
void draw_column(const MixerBand& band, double longest, const Rect& column, const Ui& ui) {
  const bool empty = band.pairs == std::size_t{0}, sounds = !band.muted && !empty;
  const Color ink = sounds ? ui.style.accent : ui.style.muted;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto bar = [&](double part, double strength) {
    list.AddRectFilled(shim::vec({column.x, column.bottom() - part * column.height}),
                       shim::vec({column.right(), column.bottom()}),
                       shim::packed(with_alpha(ink, strength)), ui.px(2));
  };
  if (!empty) {
    bar(part_of(band.longest, longest), sounds ? 0.35 : 0.12);
    bar(part_of(band.shortest, longest), sounds ? 0.55 : 0.15);
  }
  shim::add_frame(list, shim::vec({column.x, column.y}),
                  shim::vec({column.right(), column.bottom()}),
                  shim::packed(with_alpha(ink, empty ? 0.3 : 0.8)), ui.px(3), 1.0f);
}

/// The shortest wavelength of a band below its column, where it does not run into the one before.
void draw_wavelength(const MixerBand& band, const Rect& column, double& free, const Ui& ui) {
  const std::string number = compact_number(band.shortest);
  const double width = text_width(number);
  const double left = std::round(column.x + (column.width - width) / 2);
  if (left < free) return;
  ImGui::GetWindowDrawList()->AddText(shim::vec({left, column.bottom() + 2 * ui.scale}),
                                      shim::packed(ui.style.muted), number.c_str());
  free = left + width + number_gap * ui.scale;
}

/// Colours of a button that shows only where the mouse or the keyboard is.
void push_bare_button(const Ui& ui) {
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, shim::floats(with_alpha(ui.style.accent, 0.12)));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, shim::floats(with_alpha(ui.style.accent, 0.24)));
}

}  // namespace

void draw_ticks(const ParamSpec& spec) {
  if (!has_ticks(spec)) return;
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const ImU32 color = ImGui::GetColorU32(ImGuiCol_TextDisabled);
  for (const KnownValue& one : in_range(spec)) {
    const float x = std::round(place_of(spec, one.value));
    ImGui::GetWindowDrawList()->AddRectFilled({x, to.y - tick_height * (to.y - from.y)},
                                              {x + 1, to.y}, color);
  }
}

std::string known_values_text(const ParamSpec& spec) {
  std::vector<std::string> words;
  for (const KnownValue& one : in_range(spec))
    words.push_back(fmt::format("{} {}", number_text(one.value), one.users));
  return fmt::format("{}", fmt::join(words, " · "));
}

std::string param_title(const ParamSpec& spec) {
  const std::size_t dot = spec.key.find('.');
  if (dot == std::string::npos) return spaced(spec.key);
  const std::string owner = spec.key.substr(0, dot), own = spaced(spec.key.substr(dot + 1));
  return fmt::format("{}: {}", label_of_encoding(owner), own);
}

std::string choice_title(const ParamSpec& spec, const std::string& name) {
  if (spec.role == ParamRole::encodings) return label_of_encoding(name);
  return spaced(name);
}

bool fits_slider(const ParamSpec& spec) {
  const bool bounded = std::isfinite(spec.min) && std::isfinite(spec.max) && spec.min < spec.max;
  if (!bounded || (spec.logarithmic && least_of_slider(spec) <= 0.0)) return false;
  return spec.logarithmic || spec.kind == ParamKind::real || spec.max - spec.min <= max_steps;
}

void slider_control(Session& session, const ParamSpec& declared) {
  const ParamSpec spec = within_files(session, declared);
  spec.kind == ParamKind::integer ? integer_slider(session, spec) : real_slider(session, spec);
}

void number_control(Session& session, const ParamSpec& spec) {
  constexpr ImGuiInputTextFlags enter = ImGuiInputTextFlags_EnterReturnsTrue;
  if (spec.kind == ParamKind::integer) {
    std::int64_t number = session.current().params.integer(spec.key);
    const std::int64_t step = spec.multiple_of;
    if (ImGui::InputScalar("##value", ImGuiDataType_S64, &number, &step, nullptr, "%lld", enter))
      session.set_value(spec.key, number);
  } else {
    double number = session.current().params.real(spec.key);
    if (ImGui::InputDouble("##value", &number, 0.0, 0.0, "%.6g", enter))
      session.set_value(spec.key, number);
  }
}

void boolean_control(Session& session, const ParamSpec& spec) {
  bool on = session.current().params.boolean(spec.key);
  if (ImGui::Checkbox(on ? "on" : "off", &on)) session.set_value(spec.key, on);
}

void choice_control(Session& session, const ParamSpec& spec, const Ui& ui) {
  const std::string present = session.current().params.text(spec.key);
  if (!ImGui::BeginCombo("##value", choice_title(spec, present).c_str())) return;
  for (const Choice& option : spec.choices) {
    if (ImGui::Selectable(choice_title(spec, option.name).c_str(), option.name == present))
      session.set_value(spec.key, option.name);
    tooltip(ui, option.description);
  }
  ImGui::EndCombo();
}

namespace {

void choice_boxes(Session& session, const ParamSpec& spec, const Ui& ui) {
  const std::vector<std::string> chosen = session.current().params.list(spec.key);
  const int columns = ImGui::GetContentRegionAvail().x > ui.px(230) ? 2 : 1;
  if (!ImGui::BeginTable("##choices", columns, ImGuiTableFlags_SizingStretchSame)) return;
  for (const Choice& option : spec.choices) {
    ImGui::TableNextColumn();
    bool on = std::find(chosen.begin(), chosen.end(), option.name) != chosen.end();
    if (ImGui::Checkbox(choice_title(spec, option.name).c_str(), &on))
      session.set_value(spec.key, switched(spec, chosen, option.name));
    tooltip(ui, option.description);
    const auto slot = on ? color_slot(session.current(), option.name) : std::nullopt;
    if (!slot || ui.style.palette.empty()) continue;
    ImGui::SameLine(0, 0);
    color_dot(ui, ui.style.palette[static_cast<std::size_t>(*slot) % ui.style.palette.size()]);
  }
  ImGui::EndTable();
}

}  // namespace

void choice_list_combo(Session& session, const ParamSpec& spec, const Ui& ui) {
  std::vector<std::string> chosen = session.current().params.list(spec.key);
  for (std::string& name : chosen) name = choice_title(spec, name);
  const float room =
      ImGui::CalcItemWidth() - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
  const std::string all = chosen.empty() ? "none" : fmt::format("{}", fmt::join(chosen, ", "));
  const std::string shown =
      ImGui::CalcTextSize(all.c_str()).x <= room ? all : fmt::format("{} chosen", chosen.size());
  ImGui::SetNextWindowSize(ImVec2(ui.px(popup_width), 0));
  if (!ImGui::BeginCombo("##value", shown.c_str(), ImGuiComboFlags_HeightLargest)) return;
  choice_boxes(session, spec, ui);
  ImGui::EndCombo();
}

void choice_list_control(Session& session, const ParamSpec& spec, const Ui& ui) {
  spec.choices.size() > most_boxes ? choice_list_combo(session, spec, ui)
                                   : choice_boxes(session, spec, ui);
}

void mixer_control(Session& session, const Ui& ui) {
  const std::vector<MixerBand> bands = mixer_bands_of(session.current().params);
  const auto count = static_cast<double>(bands.size());
  const Point at = shim::point(ImGui::GetCursorScreenPos());
  const double gap = gap_width * ui.scale, height = column_height * ui.scale;
  const double room = static_cast<double>(ImGui::GetContentRegionAvail().x);
  const double width = std::max(4.0, (room - gap * (count - 1)) / count);
  const double longest = bands.empty() ? 2.0 : bands.back().longest;
  double free = at.x;
  ImGui::BeginGroup();
  push_bare_button(ui);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const auto place = static_cast<double>(b);
    const Rect column{at.x + place * (width + gap), at.y, width, height};
    ImGui::SetCursorScreenPos(shim::vec({column.x, column.y}));
    ImGui::PushID(bands[b].name.c_str());
    ImGui::Button("##band", shim::vec({width, height}));
    // At once when the mouse goes down, where a double click is known as such.
    if (ImGui::IsItemActivated()) click_band(session, bands, b);
    ImGui::PopID();
    tooltip(ui, band_words(bands[b]));
    draw_column(bands[b], longest, column, ui);
    draw_wavelength(bands[b], column, free, ui);
  }
  ImGui::PopStyleColor(3);
  ImGui::SetCursorScreenPos(shim::vec({at.x, at.y + height}));
  ImGui::Dummy(ImVec2(static_cast<float>(room), ImGui::GetTextLineHeight() + ui.px(4)));
  ImGui::EndGroup();
}

}  // namespace orrery
