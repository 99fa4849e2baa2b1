#include "app/views/figure_keys.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <array>
#include <utility>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

FigureCommand command_of_key() {
  using enum FigureCommand;
  constexpr std::array keys{
      std::pair{GLFW_KEY_LEFT, left}, std::pair{GLFW_KEY_RIGHT, right},
      std::pair{GLFW_KEY_UP, up},     std::pair{GLFW_KEY_DOWN, down},
      std::pair{GLFW_KEY_HOME, fit},  std::pair{GLFW_KEY_DELETE, clear},
  };
  for (const auto& [key, command] : keys)
    if (shim::key_pressed(key, command != fit && command != clear)) return command;
  const bool shift = ImGui::GetIO().KeyShift;
  if (shim::key_pressed(GLFW_KEY_MENU, false) || (shift && shim::key_pressed(GLFW_KEY_F10, false)))
    return menu;
  if (shim::key_pressed(GLFW_KEY_TAB, true)) return shift ? previous : next;
  return none;
}

FigureCommand command_of_character(ImWchar c) {
  switch (c) {
    case '+':
    case '=':
      return FigureCommand::zoom_in;
    case '-':
      return FigureCommand::zoom_out;
    case '0':
      return FigureCommand::fit;
    case 'c':
      return FigureCommand::cursors;
    default:
      return FigureCommand::none;
  }
}

}  // namespace

FigureCommand typed_figure_command() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.KeySuper) return FigureCommand::none;
  for (const ImWchar c : io.InputQueueCharacters) {
    const FigureCommand command = command_of_character(c);
    if (command != FigureCommand::none) return command;
  }
  return command_of_key();
}

std::span<const FigureShortcut> figure_shortcuts() {
  static constexpr std::array shortcuts{
      FigureShortcut{"Drag",
                     "pans; on an axis, pans that axis; on the colour bar, moves its range"},
      FigureShortcut{"Wheel",
                     "zooms at the mouse; over an axis or the colour bar, zooms only that"},
      FigureShortcut{"Right-drag", "zooms to a box"},
      FigureShortcut{"Double-click", "resets the zoom"},
      FigureShortcut{"Click", "pins the readout; Ctrl+click removes a pin"},
      FigureShortcut{"Click in the legend", "hides a curve; with Ctrl, shows only that curve"},
      FigureShortcut{"Right-click", "opens the menu: scales, differences, copy, export"},
      FigureShortcut{"← → ↑ ↓", "pans"},
      FigureShortcut{"+ −", "zooms"},
      FigureShortcut{"0, Home", "resets the zoom"},
      FigureShortcut{"C", "shows two cursors and their difference"},
      FigureShortcut{"Delete", "removes pins and cursors"},
      FigureShortcut{"Shift+F10, Menu", "opens the menu"},
      FigureShortcut{"F6, Tab", "focuses the first figure, then the next"},
      FigureShortcut{"Hold R", "shows the reference pinned last"},
  };
  return shortcuts;
}

}  // namespace orrery
