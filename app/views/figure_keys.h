#pragma once

#include <span>

namespace orrery {

/// A command by key to the figure that has the keyboard focus.
enum class FigureCommand {
  none,
  left,
  right,
  up,
  down,
  zoom_in,
  zoom_out,
  fit,
  cursors,
  menu,
  clear,
  next,
  previous
};

/// The command typed in this frame; none while text is being typed elsewhere. Arrows, Tab, Home,
/// Delete and the menu key are keys; + − 0 and c are characters, wherever the layout of the
/// keyboard has them.
FigureCommand typed_figure_command();

/// A key or gesture and its effect, for the sheet of shortcuts.
struct FigureShortcut {
  const char* keys;
  const char* does;
};
std::span<const FigureShortcut> figure_shortcuts();

}  // namespace orrery
