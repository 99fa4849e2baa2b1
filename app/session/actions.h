#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A key by its GLFW code with its modifiers; or, where `character` is set, a character however
/// this keyboard makes it.
struct Shortcut {
  int key{};
  bool control{};
  bool shift{};
  char32_t character{};
  bool repeats{};  ///< while the key is held
  bool silent{};   ///< works, but is not listed on the sheet
};

/// Something that the desktop can be told to do. Menu, palette, sheet and keyboard are all made
/// from one table of actions.
struct Action {
  std::string_view name{};   ///< "copy_command", stable
  std::string_view group{};  ///< heading on the sheet
  std::string_view title{};  ///< "Copy as command"
  std::string_view about{};  ///< one sentence
  std::function<void()> perform{};
  std::vector<Shortcut> shortcuts{};
  bool while_typing{};  ///< whether the keys work in a text field, too
};

/// The table in the order in which sheet and menu show it; each group is contiguous.
using Actions = std::vector<Action>;

/// Null when there is no action of that name.
const Action* find_action(const Actions& actions, std::string_view name);
/// The name of an action that is most similar; empty when none is similar.
std::string nearest_action(const Actions& actions, std::string_view name);

/// "Ctrl+Shift+Z".
std::string shortcut_text(const Shortcut& shortcut);

/// How well a name matches the typed text; empty when it does not. All letters of each typed word
/// must occur in the name in their order; the whole word together, at the start of a word or of
/// the name counts more, and so does a short name. ASCII letters match in either case.
std::optional<double> fuzzy_score(std::string_view typed, std::string_view name);

}  // namespace orrery
