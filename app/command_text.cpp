#include "app/command_text.h"

#include <algorithm>
#include <cctype>

namespace orrery {
namespace {

constexpr std::string_view kPlainMarks = "_-+=./,:@%";

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         kPlainMarks.find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  quoted += '\'';
  return quoted;
}

std::string command_text(const ExperimentState& state) {
  std::string line = "orrery run " + shell_word(state.experiment->info().name);
  for (const std::string& word : state.params.overrides())
    line.append(" ").append(shell_word(word));
  return line;
}

}  // namespace orrery
