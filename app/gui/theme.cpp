#include "app/gui/ui.h"

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

// How much ink there is in the ground of columns and of sheets.
constexpr double raised_lift = 0.035, sheet_lift = 0.05;

void set_lengths(ImGuiStyle& look) {
  look.WindowPadding = ImVec2(14, 12);
  look.FramePadding = ImVec2(9, 5);
  look.ItemSpacing = ImVec2(9, 7);
  look.ItemInnerSpacing = ImVec2(7, 5);
  look.CellPadding = ImVec2(6, 3);
  look.IndentSpacing = 16;
  look.ScrollbarSize = 11;
  look.GrabMinSize = 12;
  look.WindowRounding = 0;
  look.ChildRounding = 6;
  look.FrameRounding = 5;
  look.PopupRounding = 6;
  look.ScrollbarRounding = 6;
  look.GrabRounding = 4;
  look.TabRounding = 5;
  look.WindowBorderSize = 0;
  look.ChildBorderSize = 0;
  look.FrameBorderSize = 0;
  look.PopupBorderSize = 1;
  look.SelectableTextAlign = ImVec2(0, 0.5f);
}

void set_colors(ImGuiStyle& look, const FigureStyle& style) {
  const auto ink = [&](double amount) {
    return shim::floats(mix(style.background, style.text, amount));
  };
  const auto accent = [&](double alpha) { return shim::floats(with_alpha(style.accent, alpha)); };
  const ImVec4 clear(0, 0, 0, 0);
  ImVec4* color = look.Colors;
  color[ImGuiCol_Text] = shim::floats(style.text);
  color[ImGuiCol_TextDisabled] = shim::floats(style.muted);
  color[ImGuiCol_WindowBg] = shim::floats(style.background);
  color[ImGuiCol_ChildBg] = clear;
  color[ImGuiCol_PopupBg] = ink(sheet_lift);
  color[ImGuiCol_Border] = ink(0.18);
  color[ImGuiCol_BorderShadow] = clear;
  color[ImGuiCol_FrameBg] = ink(0.09);
  color[ImGuiCol_FrameBgHovered] = ink(0.13);
  color[ImGuiCol_FrameBgActive] = ink(0.17);
  color[ImGuiCol_ScrollbarBg] = clear;
  color[ImGuiCol_ScrollbarGrab] = ink(0.20);
  color[ImGuiCol_ScrollbarGrabHovered] = ink(0.28);
  color[ImGuiCol_ScrollbarGrabActive] = ink(0.36);
  color[ImGuiCol_CheckMark] = accent(1.0);
  color[ImGuiCol_SliderGrab] = ink(0.55);
  color[ImGuiCol_SliderGrabActive] = accent(1.0);
  color[ImGuiCol_Button] = ink(0.10);
  color[ImGuiCol_ButtonHovered] = ink(0.16);
  color[ImGuiCol_ButtonActive] = ink(0.22);
  color[ImGuiCol_Header] = ink(0.13);
  color[ImGuiCol_HeaderHovered] = ink(0.11);
  color[ImGuiCol_HeaderActive] = ink(0.18);
  color[ImGuiCol_Separator] = ink(0.14);
  color[ImGuiCol_Tab] = clear;
  color[ImGuiCol_TabHovered] = ink(0.13);
  color[ImGuiCol_TabActive] = accent(0.22);
  color[ImGuiCol_TabUnfocused] = clear;
  color[ImGuiCol_TabUnfocusedActive] = accent(0.22);
  color[ImGuiCol_PlotHistogram] = accent(1.0);
  color[ImGuiCol_TextSelectedBg] = accent(0.35);
  color[ImGuiCol_NavHighlight] = accent(0.8);
  color[ImGuiCol_ModalWindowDimBg] =
      shim::floats(with_alpha({0, 0, 0}, is_dark(style.background) ? 0.55 : 0.30));
  color[ImGuiCol_TableHeaderBg] = ink(0.09);
  color[ImGuiCol_TableRowBg] = clear;
  color[ImGuiCol_TableRowBgAlt] = clear;
  color[ImGuiCol_TableBorderLight] = ink(0.10);
  color[ImGuiCol_TableBorderStrong] = ink(0.16);
}

// The contrast that text of any size has at level AAA of WCAG 2.1, and a little for rounding.
constexpr double min_contrast_on_panels = 7.05;
constexpr double lightness_steps = 64;

/// `ink`, or as little of `strong` mixed in as makes it readable on the ground.
Color readable(Color ink, Color ground, Color strong) {
  for (double step = 0; step < lightness_steps; ++step) {
    const Color mixed = mix(ink, strong, step / lightness_steps);
    if (contrast(mixed, ground) >= min_contrast_on_panels) return mixed;
  }
  return strong;
}

/// The ground on which ink shows least.
Color hardest_ground(const FigureStyle& style) {
  return mix(style.background, style.text, sheet_lift);
}

}  // namespace

Color raised_color(const FigureStyle& style) {
  return mix(style.background, style.text, raised_lift);
}

Color accent_text_color(const FigureStyle& style) {
  return readable(style.accent, hardest_ground(style), style.text);
}

FigureStyle desktop_style(Theme theme, double scale) {
  FigureStyle style = figure_style(theme, scale);
  style.muted = readable(style.muted, hardest_ground(style), style.text);
  style.margin = 0.3;
  style.names_at_lines = true;
  style.widest_map = 1.75;  // a page is wide
  style.largest_table = style.title_size / style.text_size;
  return style;
}

Color holds_color(const FigureStyle& style) {
  const Color green = is_dark(style.background) ? Color{96, 200, 140} : Color{22, 120, 68};
  return readable(green, hardest_ground(style), style.text);
}

Color fails_color(const FigureStyle& style) {
  const Color red = is_dark(style.background) ? Color{255, 128, 112} : Color{186, 38, 30};
  return readable(red, hardest_ground(style), style.text);
}

void apply_theme(const FigureStyle& style, double scale) {
  ImGuiStyle look;
  set_lengths(look);
  look.ScaleAllSizes(static_cast<float>(scale));
  set_colors(look, style);
  ImGui::GetStyle() = look;
}

}  // namespace orrery
