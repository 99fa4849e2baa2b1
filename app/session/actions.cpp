#include "app/session/actions.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/model/experiment.h"
#include "experiments/text/ascii.h"
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

// Scores of a match; only their order matters.
constexpr double letter_score = 1.0, together_score = 2.0, word_start_score = 3.0,
                 name_start_score = 2.0, whole_score = 6.0, whole_inside_score = 2.0;
constexpr double score_per_character =
    0.02;  // subtracted, so that of two equal matches the shorter name wins

bool starts_word(const std::string& name, std::size_t at) {
  return at == 0 || name[at - 1] == ' ' || name[at - 1] == '_' || name[at - 1] == '-';
}

/// The letters of `word` in their order, from `start` on, as early as they come.
std::optional<double> letters_from(const std::string& word, const std::string& name,
                                   std::size_t start) {
  double score = 0.0;
  std::size_t at = start;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::size_t found = name.find(word[i], at);
    if (found == std::string::npos) return std::nullopt;
    score += letter_score;
    if (i > 0 && found == at) score += together_score;
    if (starts_word(name, found)) score += word_start_score;
    at = found + 1;
  }
  return score + (start == 0 && !word.empty() && name[0] == word[0] ? name_start_score : 0.0);
}

std::optional<double> word_score(const std::string& word, const std::string& name) {
  std::optional<double> best;
  for (std::size_t at = name.find(word[0]); at != std::string::npos;
       at = name.find(word[0], at + 1)) {
    std::optional<double> score = letters_from(word, name, at);
    if (!score) break;
    if (name.compare(at, word.size(), word) == 0)
      *score += starts_word(name, at) ? whole_score : whole_inside_score;
    if (!best || *score > *best) best = score;
  }
  return best;
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

std::optional<double> fuzzy_score(std::string_view typed, std::string_view name) {
  const std::string wanted = lower_ascii(std::string(typed)),
                    known = lower_ascii(std::string(name));
  double score = -score_per_character * static_cast<double>(known.size());
  for (std::size_t at = wanted.find_first_not_of(' '); at != std::string::npos;) {
    const std::size_t end = std::min(wanted.find(' ', at), wanted.size());
    const std::optional<double> word = word_score(wanted.substr(at, end - at), known);
    if (!word) return std::nullopt;
    score += *word;
    at = wanted.find_first_not_of(' ', end);
  }
  return score;
}

}  // namespace orrery
