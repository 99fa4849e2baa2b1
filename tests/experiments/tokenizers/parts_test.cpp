#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "experiments/tokenizers/models.h"

using namespace orrery;

namespace {

constexpr std::size_t letters = 8;

/// Letters a to h, of which h has no token, and some runs of them: so that few pairs of letters are
/// cut, and some pairs never.
std::string long_text() {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < 200'000) text += static_cast<char>('a' + random() % letters);
  return text;
}

Vocabulary vocabulary_of(const std::vector<std::string>& pieces) {
  Vocabulary vocabulary("test");
  for (std::size_t i = 0; i < pieces.size(); ++i)
    vocabulary.add(pieces[i], static_cast<std::int64_t>(i));
  return vocabulary;
}

/// Each merge in turn, from left to right: what byte-pair encoding is, since no merge makes a pair
/// that comes before it.
std::vector<std::string> merged(const std::string& text, const MergeList& merges) {
  std::vector<std::string> tokens;
  for (const char c : text)
    if (c != 'h') tokens.emplace_back(1, c);
  for (const auto& [left, right] : merges) {
    std::vector<std::string> next;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool both = i + 1 < tokens.size() && tokens[i] == left && tokens[i + 1] == right;
      next.push_back(both ? left + right : tokens[i]);
      i += both;
    }
    tokens = std::move(next);
  }
  return tokens;
}

}  // namespace

TEST_CASE("A long piece is merged in parts to the tokens that it has as a whole") {
  const std::vector<std::string> pieces{"a",  "b",  "c",   "d",  "e",  "f",    "g",
                                        "ab", "bc", "abc", "cd", "dd", "abcd", "eaf"};
  const MergeList merges{{"a", "b"}, {"b", "c"}, {"ab", "c"}, {"c", "d"}, {"abc", "d"}};
  const auto model = bpe_model(vocabulary_of(pieces), merges, {});
  const std::string text = long_text();
  std::vector<Subword> tokens;
  model->tokenize(text, tokens);
  std::vector<std::string> found;
  for (const Subword& token : tokens) found.push_back(pieces[static_cast<std::size_t>(token.id)]);
  CHECK((found == merged(text, merges)));
}

TEST_CASE("A long piece has the same best tokens in parts") {
  const std::vector<std::string> pieces{"a", "b", "c", "d", "e", "f", "g", "ab", "bcd", "fe", "?"};
  const std::vector<double> scores{-3, -2, -3, -2, -4, -3, -2, -4.5, -5.25, -5, -9};
  const auto model = unigram_model(vocabulary_of(pieces), scores, {.unknown = 10});
  const std::string text = long_text();
  std::vector<Subword> tokens;
  model->tokenize(text, tokens);
  const double unknown = -19;
  std::vector<double> best{0};
  for (std::size_t end = 1; end <= text.size(); ++end) {
    best.push_back(text[end - 1] == 'h' ? best.back() + unknown : -1e300);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::size_t size = pieces[i].size();
      if (end < size || text.compare(end - size, size, pieces[i]) != 0) continue;
      const double score = best[end - size] + scores[i];
      if (!(score <= best[end])) best[end] = score;
    }
  }
  double sum = 0;
  std::size_t length = 0;
  for (const Subword& token : tokens) {
    sum += token.id == 10 ? unknown * static_cast<double>(token.length)
                          : scores[static_cast<std::size_t>(token.id)];
    length += token.length;
  }
  CHECK(sum == best.back());
  CHECK(length == text.size());
}
