// Everything that is read can be read from the back row: WCAG 2.1's contrast, measured.
#include <catch2/catch.hpp>
#include <cmath>

#include "app/gui/imgui_shim.h"
#include "app/gui/ui.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

// Success criterion 1.4.6, level AAA, and for lines and marks 1.4.11.
constexpr double text_contrast = 7.0, mark_contrast = 3.0;

Color of_imgui(ImGuiCol index) {
  const ImVec4 c = ImGui::GetStyle().Colors[index];
  const auto byte = [](float part) { return static_cast<std::uint8_t>(std::lround(part * 255)); };
  return {byte(c.x), byte(c.y), byte(c.z)};
}

TEST_CASE("Contrast is measured as WCAG does") {
  CHECK(contrast({0, 0, 0}, {255, 255, 255}) == Approx(21.0));
  CHECK(contrast({118, 118, 118}, {255, 255, 255}) == Approx(4.54).margin(0.01));
  // Computed by hand: red has the luminance 0.2126, blue 0.0722.
  CHECK(contrast({255, 0, 0}, {0, 0, 255}) == Approx(0.2626 / 0.1222));
  CHECK(contrast({9, 9, 9}, {9, 9, 9}) == 1.0);
}

TEST_CASE("Text has a contrast of at least 7 on every ground it stands on, in every theme") {
  const ImGuiContextGuard imgui;
  for (const Theme theme : {Theme::dark, Theme::light, Theme::print}) {
    const FigureStyle style = desktop_style(theme, 1.0);
    apply_theme(style, 1.0);
    const std::pair<const char*, Color> grounds[] = {{"window", style.background},
                                                     {"plot", style.plot_background},
                                                     {"column", raised_color(style)},
                                                     {"sheet", of_imgui(ImGuiCol_PopupBg)}};
    const std::pair<const char*, Color> inks[] = {
        {"text", style.text},
        {"muted", style.muted},
        {"text of widgets", of_imgui(ImGuiCol_Text)},
        {"disabled text of widgets", of_imgui(ImGuiCol_TextDisabled)},
        {"holds", holds_color(style)},
        {"fails", fails_color(style)},
        {"accent as text", accent_text_color(style)}};
    for (const auto& [ground_name, ground] : grounds)
      for (const auto& [ink_name, ink] : inks) {
        INFO(theme_name(theme) << ": " << ink_name << " on " << ground_name);
        CHECK(contrast(ink, ground) >= text_contrast);
      }
  }
}

TEST_CASE("Words in fields and on buttons have a contrast of at least 7") {
  const ImGuiContextGuard imgui;
  for (const Theme theme : {Theme::dark, Theme::light, Theme::print}) {
    apply_theme(desktop_style(theme, 1.0), 1.0);
    for (const ImGuiCol ground : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive,
                                  ImGuiCol_Button, ImGuiCol_ButtonHovered, ImGuiCol_ButtonActive,
                                  ImGuiCol_Header, ImGuiCol_HeaderHovered, ImGuiCol_HeaderActive}) {
      INFO(theme_name(theme) << ", " << ImGui::GetStyleColorName(ground));
      CHECK(contrast(of_imgui(ImGuiCol_Text), of_imgui(ground)) >= text_contrast);
    }
  }
}

TEST_CASE("Marks, axes and grabs can be told from their ground") {
  const ImGuiContextGuard imgui;
  for (const Theme theme : {Theme::dark, Theme::light, Theme::print}) {
    const FigureStyle style = desktop_style(theme, 1.0);
    apply_theme(style, 1.0);
    INFO(theme_name(theme));
    CHECK(contrast(style.axis, style.plot_background) >= mark_contrast);
    CHECK(contrast(style.accent, style.plot_background) >= mark_contrast);
    CHECK(contrast(style.ghost, style.plot_background) >= mark_contrast);
    CHECK(contrast(style.ghost, style.grid) >= 2.0);
    CHECK(contrast(of_imgui(ImGuiCol_SliderGrab), of_imgui(ImGuiCol_FrameBg)) >= mark_contrast);
  }
}

}  // namespace
}  // namespace orrery
