#include "app/headless/script_steps.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>
#include <utility>

namespace orrery {
namespace {

/// Splits a line at spaces; text in double quotes is one word, and # begins a comment.
Words split(const std::string& line) {
  Words words;
  std::string word;
  bool quoted = false, inside = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      inside = true;
    } else if (!quoted && (c == ' ' || c == '\t')) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else if (!quoted && c == '#' && !inside) {
      break;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

struct NamedKey {
  const char* name;
  int key;
};
constexpr std::array known_keys{
    NamedKey{"enter", GLFW_KEY_ENTER},     NamedKey{"escape", GLFW_KEY_ESCAPE},
    NamedKey{"tab", GLFW_KEY_TAB},         NamedKey{"space", GLFW_KEY_SPACE},
    NamedKey{"up", GLFW_KEY_UP},           NamedKey{"down", GLFW_KEY_DOWN},
    NamedKey{"left", GLFW_KEY_LEFT},       NamedKey{"right", GLFW_KEY_RIGHT},
    NamedKey{"delete", GLFW_KEY_DELETE},   NamedKey{"backspace", GLFW_KEY_BACKSPACE},
    NamedKey{"home", GLFW_KEY_HOME},       NamedKey{"end", GLFW_KEY_END},
    NamedKey{"page_up", GLFW_KEY_PAGE_UP}, NamedKey{"page_down", GLFW_KEY_PAGE_DOWN}};

}  // namespace

std::vector<ScriptStep> parse_steps(std::string_view text) {
  std::vector<ScriptStep> steps;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (Words words = split(line); !words.empty())
      steps.push_back({number, line, std::move(words)});
  }
  return steps;
}

std::string lowered(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word;
}

std::optional<int> key_named(const std::string& name) {
  const std::string low = lowered(name);
  for (const NamedKey& known : known_keys)
    if (low == known.name) return known.key;
  if (low.size() == 1 && (std::isalnum(static_cast<unsigned char>(low[0])) != 0))
    return std::toupper(static_cast<unsigned char>(low[0]));
  int number = 0;
  const auto [end, status] = std::from_chars(low.data() + 1, low.data() + low.size(), number);
  const bool function_key = low.size() > 1 && low[0] == 'f' && status == std::errc() &&
                            end == low.data() + low.size() && number >= 1 && number <= 25;
  if (function_key) return GLFW_KEY_F1 + number - 1;
  return std::nullopt;
}

}  // namespace orrery
