#include "app/session/actions.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/model/experiment.h"
#include "experiments/text/enum_names.h"

namespace orrery {
namespace {

struct KeyName {
  int key;
  const char* name;
};
constexpr std::array key_names{KeyName{GLFW_KEY_PAGE_DOWN, "Page down"},
                               KeyName{GLFW_KEY_PAGE_UP, "Page up"},
                               KeyName{GLFW_KEY_HOME, "Home"},
                               KeyName{GLFW_KEY_PERIOD, "."},
                               KeyName{GLFW_KEY_EQUAL, "plus"},
                               KeyName{GLFW_KEY_MINUS, "minus"},
                               KeyName{GLFW_KEY_KP_ADD, "keypad +"},
                               KeyName{GLFW_KEY_KP_SUBTRACT, "keypad −"},
                               KeyName{GLFW_KEY_KP_0, "keypad 0"},
                               KeyName{GLFW_KEY_SPACE, "Space"},
                               KeyName{GLFW_KEY_BACKSPACE, "Backspace"},
                               KeyName{GLFW_KEY_ENTER, "Enter"},
                               KeyName{GLFW_KEY_ESCAPE, "Escape"},
                               KeyName{GLFW_KEY_RIGHT, "→"},
                               KeyName{GLFW_KEY_LEFT, "←"}};

std::string key_name(int code) {
  for (const KeyName& known : key_names)
    if (known.key == code) return known.name;
  if (code >= GLFW_KEY_F1 && code <= GLFW_KEY_F25)
    return fmt::format("F{}", code - GLFW_KEY_F1 + 1);
  return {static_cast<char>(code)};  // GLFW names letters and digits by their ASCII capitals
}

}  // namespace

const Action* find_action(const Actions& actions, std::string_view name) {
  const auto found = std::find_if(actions.begin(), actions.end(),
                                  [name](const Action& action) { return action.name == name; });
  return found == actions.end() ? nullptr : &*found;
}

std::string nearest_action(const Actions& actions, std::string_view name) {
  std::vector<std::string> names;
  for (const Action& action : actions) names.emplace_back(action.name);
  return nearest_name(name, names);
}

std::string shortcut_text(const Shortcut& shortcut) {
  if (shortcut.character == U' ') return key_name(GLFW_KEY_SPACE);
  if (shortcut.character != 0) return {static_cast<char>(shortcut.character)};
  std::string text;
  if (shortcut.control) text += "Ctrl+";
  if (shortcut.shift) text += "Shift+";
  return text + key_name(shortcut.key);
}

}  // namespace orrery
