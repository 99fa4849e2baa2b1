#include "experiments/text/marked_text.h"

#include <utility>

#include "experiments/text/utf8.h"

namespace orrery {

namespace {

bool is_escape(std::string_view rest) {
  return rest.starts_with("\\$") || rest.starts_with("\\\\");
}

/// With its marks; 0 where none begins.
std::size_t formula_length(std::string_view rest) {
  if (!rest.starts_with('$')) return 0;
  const std::size_t end = rest.find('$', 1);
  return end == std::string_view::npos || end == 1 ? 0 : end + 1;
}

}  // namespace

std::size_t piece_length(std::string_view marked, std::size_t at) {
  const std::string_view rest = marked.substr(at);
  if (const std::size_t length = formula_length(rest)) return length;
  return is_escape(rest) ? 2 : character_length(marked, at);
}

std::vector<MarkedPart> marked_parts(std::string_view marked) {
  std::vector<MarkedPart> parts;
  std::string words;
  const auto finish_words = [&] {
    if (!words.empty()) parts.push_back({false, std::exchange(words, {})});
  };
  while (!marked.empty()) {
    const std::size_t length = piece_length(marked, 0);
    if (formula_length(marked) > 0) {
      finish_words();
      parts.push_back({true, std::string(marked.substr(1, length - 2))});
    } else {
      words += marked.substr(is_escape(marked) ? 1 : 0, is_escape(marked) ? 1 : length);
    }
    marked.remove_prefix(length);
  }
  finish_words();
  return parts;
}

std::string as_marked(std::string_view words) {
  std::string marked;
  for (const char c : words) {
    if (c == '$' || c == '\\') marked += '\\';
    marked += c;
  }
  return marked;
}

}  // namespace orrery
