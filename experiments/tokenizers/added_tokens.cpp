#include "experiments/tokenizers/added_tokens.h"

#include <algorithm>
#include <utility>

#include "experiments/tokenizers/categories.h"
#include "experiments/tokenizers/split.h"

namespace orrery {
namespace {

/// Where the character before `at` begins. Needs at > 0.
std::size_t before(std::string_view text, std::size_t at) {
  do --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80);
  return at;
}

char32_t character_at(std::string_view text, std::size_t at) { return next_character(text, at); }

bool is_single_word(std::string_view text, const TextRange& match) {
  if (match.begin > 0 && is_word_character(character_at(text, before(text, match.begin))))
    return false;
  return match.end == text.size() || !is_word_character(character_at(text, match.end));
}

std::size_t begin_of_space_before(std::string_view text, std::size_t at) {
  while (at > 0) {
    const std::size_t previous = before(text, at);
    if (!is_white_space(character_at(text, previous))) return at;
    at = previous;
  }
  return at;
}

std::size_t end_of_space_after(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (!is_white_space(next_character(text, next))) return at;
    at = next;
  }
  return at;
}

void add_text(const AlignedText& text, std::size_t begin, std::size_t end,
              std::vector<Stretch>& out) {
  if (begin < end) out.push_back({slice(text, begin, end), std::nullopt});
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, Normalizer normalizer)
    : normalizer_(std::move(normalizer)) {
  std::vector<AddedToken> raw, normalized;
  std::vector<std::string> raw_texts, normalized_texts;
  for (AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    if (!token.normalized) {
      raw_texts.push_back(token.content);
      raw.push_back(std::move(token));
      continue;
    }
    std::string text = normalizer_ ? normalizer_(aligned(token.content)).text : token.content;
    if (text.empty()) continue;
    normalized_texts.push_back(std::move(text));
    normalized.push_back(std::move(token));
  }
  raw_ = patterns_of(std::move(raw), std::move(raw_texts));
  normalized_ = patterns_of(std::move(normalized), std::move(normalized_texts));
}

AddedTokens::Patterns AddedTokens::patterns_of(std::vector<AddedToken> tokens,
                                               std::vector<std::string> texts) {
  Patterns patterns{.tokens = std::move(tokens), .texts = std::move(texts), .trie = {}};
  std::vector<ByteTrie::Entry> entries;
  for (std::size_t i = 0; i < patterns.texts.size(); ++i)
    entries.emplace_back(patterns.texts[i], static_cast<std::int32_t>(i));
  patterns.trie = ByteTrie(std::move(entries));
  return patterns;
}

void AddedTokens::find(const Patterns& patterns, AlignedText text, std::vector<Stretch>& out) {
  const std::string_view bytes = text.text;
  std::size_t done = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto match = patterns.trie.longest(bytes.substr(at));
    if (!match) {
      ++at;
      continue;
    }
    const AddedToken& token = patterns.tokens[static_cast<std::size_t>(match->value)];
    TextRange range{at, at + match->length};
    at = range.end;
    if (token.single_word && !is_single_word(bytes, range)) continue;
    if (token.lstrip)
      range = {std::max<std::size_t>(begin_of_space_before(bytes, range.begin), done), range.end};
    if (token.rstrip) range = {range.begin, end_of_space_after(bytes, range.end)};
    add_text(text, done, range.begin, out);
    out.push_back({slice(text, range.begin, range.end), token.id});
    done = range.end;
  }
  if (done > 0)
    add_text(text, done, bytes.size(), out);
  else if (!text.empty())
    out.push_back({std::move(text), std::nullopt});
}

std::vector<Stretch> AddedTokens::separate(AlignedText text) const {
  std::vector<Stretch> raw, all;
  find(raw_, std::move(text), raw);
  for (Stretch& stretch : raw) {
    if (stretch.id) {
      all.push_back(std::move(stretch));
      continue;
    }
    if (normalizer_) stretch.text = normalizer_(std::move(stretch.text));
    find(normalized_, std::move(stretch.text), all);
  }
  return all;
}

}  // namespace orrery
