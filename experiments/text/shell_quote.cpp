#include "experiments/text/shell_quote.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/text/printable.h"

namespace orrery {
namespace {

/// Characters that no shell expands, wherever they stand in a word.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
}

/// $'…' with octal escapes, which are always of three digits.
std::string escaped(std::string_view word) {
  std::string quoted = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte > '~')
      quoted += fmt::format("\\{:03o}", byte);
    else if (c == '\'' || c == '\\')
      quoted += {'\\', c};
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  if (in_one_line(word) != word) return escaped(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_quoted(word);
  }
  return line;
}

}  // namespace orrery
