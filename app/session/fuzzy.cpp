#include "app/session/fuzzy.h"

#include <string>

#include "experiments/text/ascii.h"

namespace orrery {
namespace {

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
