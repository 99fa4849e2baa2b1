#include "app/views/figure_keys.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <array>
#include <utility>

#include "app/imgui_shim.h"

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
      FigureShortcut{"drag", "pan; on an axis: that axis; on the colour bar: its range"},
      FigureShortcut{"wheel", "zoom about the cursor; over an axis or the colour bar: that"},
      FigureShortcut{"right drag", "zoom to a box"},
      FigureShortcut{"double click", "fit"},
      FigureShortcut{"click", "pin the read-out; Ctrl+click on a pin takes it away"},
      FigureShortcut{"click in the legend", "hide a curve; with Ctrl: show it alone"},
      FigureShortcut{"right click", "scales, curves, copy, export"},
      FigureShortcut{"← → ↑ ↓", "pan"},
      FigureShortcut{"+ −", "zoom"},
      FigureShortcut{"0, Home", "fit"},
      FigureShortcut{"C", "two cursors and their difference"},
      FigureShortcut{"Delete", "take pins and cursors away"},
      FigureShortcut{"Shift+F10, Menu", "what a right click offers"},
      FigureShortcut{"F6, Tab", "the keyboard to the figures, and on to the next"},
      FigureShortcut{"R, held", "the reference in place of the result"},
  };
  return shortcuts;
}

}  // namespace orrery
