#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Everything that the desktop can be told to do.
enum class ActionId {
  undo,
  redo,
  copy_settings,
  paste_settings,
  copy_command,
  export_figure,
  open_file,
  saved_results,
  palette,
  shortcuts,
  next_view,
  previous_view,
  next_figure,
  previous_figure,
  fit_figure,
  reset_parameters,
  recompute,
  stop,
  jobs,
  checks,
  next_theme,
  larger,
  smaller,
  normal_size,
  projector,
  toggle_list,
  toggle_panel,
  toggle_findings,
};

/// A key by its GLFW code with what is held down; or, where `character` is set, a character however
/// this keyboard makes it.
struct Shortcut {
  int key{};
  bool control{};
  bool shift{};
  char32_t character{};
  bool repeats{};  ///< while it is held
  bool silent{};   ///< works, but is not worth a place on the sheet
};

/// One line of THE table: menu, palette, sheet and keyboard are made from it.
struct Action {
  ActionId id{};
  std::string_view name{};   ///< "copy_command", stable
  std::string_view group{};  ///< heading on the sheet
  std::string_view title{};  ///< "Copy as command"
  std::string_view about{};  ///< one sentence
  std::vector<Shortcut> shortcuts{};
  bool while_typing{};  ///< whether the keys work in a text field, too
};

/// In the order in which the sheet and the menu show it; groups are together.
const std::vector<Action>& action_table();
const Action& action(ActionId id);
/// Empty when there is none such.
std::optional<ActionId> action_named(std::string_view name);
/// The action's name that comes nearest; empty when none is near.
std::string nearest_action(std::string_view name);

/// "Ctrl+Shift+Z".
std::string shortcut_text(const Shortcut& shortcut);
/// All of an action's, "Ctrl+K or Ctrl+Shift+P"; empty without any.
std::string shortcuts_text(const Action& action);

/// The action whose key went down in this frame of the current Dear ImGui context; none while
/// `typing` unless it works then, too.
std::optional<ActionId> pressed_action(bool typing);

}  // namespace orrery
