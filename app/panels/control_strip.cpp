#include "app/panels/param_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/panels/param_controls.h"
#include "app/session/file_targets.h"
#include "app/session/number_scale.h"
#include "experiments/figure/equation/rich_text.h"

namespace orrery {
namespace {

// Lengths at scale 1.
constexpr double slider_width = 120, least_slider = 80, widest_slider = 280, list_width = 150;
constexpr double strip_gap = 18, small_gap = 7, typed_width = 120;
constexpr double text_box_width = 210;

bool has_slider(const ParamSpec& spec) { return is_number(spec) && fits_slider(spec); }

std::string label_of(const ParamSpec& spec) {
  return spec.symbol.empty() ? param_title(spec) : spec.symbol;
}

/// The strip as it fills: what does not fit any more is left out. It is laid out twice: sliders
/// share the room that the first time leaves over, as a pixel of a long one moves less.
class ControlStrip {
 public:
  ControlStrip(Session& session, double width, double slider, const Ui& ui)
      : session_(session), ui_(ui), room_(width), slider_(slider) {}

  /// The same strip, drawn.
  ControlStrip with_wide_sliders(double width) const {
    ControlStrip drawn(session_, width, slider_, ui_);
    drawn.drawn_ = true;
    const double each = sliders_ > 0 ? room_ / sliders_ / ui_.scale : 0.0;
    drawn.slider_ = std::clamp(slider_ + each, slider_, widest_slider);
    return drawn;
  }
  bool has_sliders() const { return sliders_ > 0; }
  bool fits(double width) const { return width <= room_; }
  void draw_slider(const ParamSpec& spec) {
    // The number keeps the room of the longest one of its range, so that nothing moves.
    const std::string value = value_shown(session_, spec);
    const double number = std::max(text_width(value), text_width("10000"));
    const double width =
        text_width(label_of(spec)) + number + (slider_ + 2 * small_gap) * ui_.scale;
    sliders_ += fits(width) ? 1 : 0;
    if (!begins(width)) return;
    const Dimmed dimmed(!why_ignored(session_, spec.key).empty());
    draw_label(spec);
    ImGui::SetNextItemWidth(ui_.px(slider_));
    ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0, 0, 0, 0));
    ImGui::PushID(spec.key.c_str());
    slider_control(session_, spec);
    ImGui::PopID();
    ImGui::PopStyleColor();
    mark_item(ui_, "param " + spec.key);
    tooltip(ui_, explanation(session_, spec));
    ImGui::SameLine(0, ui_.px(small_gap));
    const float end = ImGui::GetCursorPosX() + static_cast<float>(number);
    draw_text(value);
    ImGui::SameLine(end, 0);
  }
  void draw_list(const ParamSpec& spec) {
    draw(spec, list_width * ui_.scale, [&] {
      ImGui::SetNextItemWidth(ui_.px(list_width));
      const bool several = spec.kind == ParamKind::choice_list;
      several ? choice_list_combo(session_, spec, ui_) : choice_control(session_, spec, ui_);
    });
  }
  /// A number whose range is too wide for a slider.
  void draw_typed(const ParamSpec& spec) {
    draw(spec, typed_width * ui_.scale, [&] {
      ImGui::SetNextItemWidth(ui_.px(typed_width));
      number_control(session_, spec);
    });
  }
  void draw_switch(const ParamSpec& spec) {
    draw(spec, static_cast<double>(ImGui::GetFrameHeight()),
         [&] { boolean_control(session_, spec); });
  }
  /// A sentence, in place of the file that is read. Its hint is its label.
  void draw_text_box(const ParamSpec& spec) {
    if (!begins(text_box_width * ui_.scale)) return;
    const std::string present = session_.current().params.text(spec.key);
    const bool is_words = present.find(' ') != std::string::npos;
    std::string text = is_words ? present : "";
    ImGui::PushID(spec.key.c_str());
    ImGui::SetNextItemWidth(ui_.px(text_box_width));
    if (ImGui::InputTextWithHint(
            "##value", "Type a sentence", &text,
            ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll))
      session_.set_text(spec.key, text);
    ImGui::PopID();
    mark_item(ui_, "param " + spec.key);
    const std::string now = is_words ? "" : fmt::format("Now: {}\n", present);
    tooltip(ui_, now + explanation(session_, spec));
  }
  void begin() {
    if (!first_) ImGui::SameLine(0, ui_.px(strip_gap));
    first_ = false;
  }

 private:
  /// Takes the room of an item, if there is as much. Returns whether it is to be drawn.
  bool begins(double width) {
    if (!fits(width)) return false;
    room_ -= width + strip_gap * ui_.scale;
    if (drawn_) begin();
    return drawn_;
  }
  /// A label and a control of this width.
  template <class Control>
  void draw(const ParamSpec& spec, double control_width, const Control& control) {
    const double width = text_width(label_of(spec)) + control_width + small_gap * ui_.scale;
    if (!begins(width)) return;
    const Dimmed dimmed(!why_ignored(session_, spec.key).empty());
    draw_label(spec);
    ImGui::PushID(spec.key.c_str());
    control();
    ImGui::PopID();
    mark_item(ui_, "param " + spec.key);
    ImGui::SameLine(0, 0);
  }
  void draw_label(const ParamSpec& spec) {
    ImGui::BeginGroup();  // beside controls, whose words begin lower
    if (has_formula(label_of(spec)))
      ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetStyle().FramePadding.y);
    else
      ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    draw_rich_text(ui_, label_of(spec));
    ImGui::PopStyleColor();
    ImGui::EndGroup();
    tooltip(ui_, explanation(session_, spec));
    ImGui::SameLine(0, ui_.px(small_gap));
  }
  Session& session_;
  const Ui& ui_;
  double room_;
  double slider_;
  int sliders_{0};
  bool drawn_{false}, first_{true};
};

/// Fills it with the controls of the parameters, of numbers in a range with so many.
void fill(ControlStrip& strip, std::span<const ParamSpec> specs, std::size_t sliders, bool chosen) {
  std::size_t numbers = 0;
  for (const ParamSpec& spec : specs) {
    if (spec.kind == ParamKind::choice || spec.kind == ParamKind::choice_list)
      strip.draw_list(spec);
    else if (has_slider(spec) && numbers++ < sliders)
      strip.draw_slider(spec);
    else if (chosen && has_type(spec, "*"))
      strip.draw_text_box(spec);
    else if (chosen && is_number(spec) && !has_slider(spec))
      strip.draw_typed(spec);
    else if (chosen && spec.kind == ParamKind::boolean)
      strip.draw_switch(spec);
  }
}

std::vector<ParamSpec> wanted(const ParamSet& params, std::span<const std::string> keys) {
  std::vector<ParamSpec> specs;
  for (const std::string& key : keys)
    if (params.has(key) && params.is_used(key)) specs.push_back(params.spec(key));
  if (!keys.empty()) return specs;
  for (const ParamSpec& spec : params.specs())
    if (spec.group.empty() && params.is_used(spec.key)) specs.push_back(spec);
  return specs;
}

constexpr const char* all_label = "All settings";

}  // namespace

bool draw_control_strip(Session& session, std::span<const std::string> keys, std::size_t sliders,
                        double width, const Ui& ui) {
  // A copy of the handle: the edits below replace the set that owns the specifications.
  const ParamSet params = session.current().params;
  const double button =
      text_width(all_label) + 2 * static_cast<double>(ImGui::GetStyle().FramePadding.x);
  const double room = width - button - strip_gap * ui.scale;
  const std::vector<ParamSpec> specs = wanted(params, keys);
  const auto measured = [&](double slider) {
    ControlStrip strip(session, room, slider, ui);
    fill(strip, specs, sliders, !keys.empty());
    return strip;
  };
  const ControlStrip usual = measured(slider_width);
  ControlStrip strip =
      (usual.has_sliders() ? usual : measured(least_slider)).with_wide_sliders(room);
  fill(strip, specs, sliders, !keys.empty());
  if (session.look.projector) return false;
  strip.begin();
  const bool asked = ImGui::Button(all_label);
  mark_item(ui, "button All settings");
  tooltip(ui, "Shows every parameter at the right.");
  return asked;
}

}  // namespace orrery
