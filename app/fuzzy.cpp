#include "app/fuzzy.h"

#include <cctype>
#include <string>

namespace orrery {
namespace {

// What a match is worth; only their order matters.
constexpr double kLetter = 1.0, kTogether = 2.0, kWordStart = 3.0, kNameStart = 2.0, kWhole = 6.0,
                 kWholeInside = 2.0;
constexpr double kPerCharacter = 0.02;  // taken off: of two that match alike the shorter is meant

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128) c = static_cast<char>(std::tolower(byte));
  }
  return low;
}

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
    score += kLetter;
    if (i > 0 && found == at) score += kTogether;
    if (starts_word(name, found)) score += kWordStart;
    at = found + 1;
  }
  return score + (start == 0 && !word.empty() && name[0] == word[0] ? kNameStart : 0.0);
}

std::optional<double> word_score(const std::string& word, const std::string& name) {
  std::optional<double> best;
  for (std::size_t at = name.find(word[0]); at != std::string::npos;
       at = name.find(word[0], at + 1)) {
    std::optional<double> score = letters_from(word, name, at);
    if (!score) break;
    if (name.compare(at, word.size(), word) == 0)
      *score += starts_word(name, at) ? kWhole : kWholeInside;
    if (!best || *score > *best) best = score;
  }
  return best;
}

}  // namespace

std::optional<double> fuzzy_score(std::string_view typed, std::string_view name) {
  const std::string wanted = lower(typed), known = lower(name);
  double score = -kPerCharacter * static_cast<double>(known.size());
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
