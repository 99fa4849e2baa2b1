#include "experiments/lessons/block_text.h"

#include <utility>

#include "core/errors.h"
#include "experiments/text/printable.h"

namespace orrery {

std::string LessonBlock::text() const {
  std::string joined;
  for (const Line& one : lines) joined += one.text + "\n";
  return joined;
}

std::string LessonBlock::sentence() const {
  std::string joined;
  for (const Line& one : lines) joined += (joined.empty() ? "" : " ") + trimmed(one.text);
  return trimmed(joined);
}

std::vector<Field> fields_of(const LessonBlock& block) {
  std::vector<Field> fields;
  for (const Line& one : block.lines) {
    const std::string text = trimmed(one.text);
    if (text.empty() || text.front() == '#') continue;
    if (one.text.front() == ' ' && !fields.empty()) {
      fields.back().value += " " + text;
      continue;
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos)
      throw UsageError(in_quotes(text), "is not KEY: value",
                       "write a key and a colon, or begin the line with a space to go on");
    fields.push_back({one.number, trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 1))});
  }
  return fields;
}

std::vector<Line> statements_of(const LessonBlock& block) {
  std::vector<Line> statements;
  for (const Line& one : block.lines)
    if (const std::string text = trimmed(one.text); !text.empty() && text.front() != '#')
      statements.push_back({one.number, text});
  return statements;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::size_t find_unquoted(std::string_view text, std::string_view part) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i).starts_with(part)) return i;
  }
  return std::string_view::npos;
}

std::size_t rfind_unquoted(std::string_view text, std::string_view part) {
  std::size_t found = std::string_view::npos;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i).starts_with(part)) found = i;
  }
  return found;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, inside = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      inside = true;
    } else if (!quoted && (c == ' ' || c == '\t' || c == ',')) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

}  // namespace orrery
