#include "experiments/tokenizers/pre_tokenizers.h"

#include <memory>
#include <optional>
#include <utility>

#include "experiments/tokenizers/byte_level.h"

namespace orrery {
namespace {

void add_piece(AlignedText piece, const PieceSink& pieces) {
  if (!piece.empty()) pieces(std::move(piece));
}

/// What the pre-tokenizers from this one on make of a piece.
void split_from(const std::vector<PreTokenizer>& all, std::size_t first, AlignedText piece,
                const PieceSink& pieces) {
  if (first == all.size()) return pieces(std::move(piece));
  all[first](std::move(piece),
             [&](AlignedText smaller) { split_from(all, first + 1, std::move(smaller), pieces); });
}

AlignedText with_spaces_replaced(const AlignedText& text, const std::string& replacement) {
  return with_characters(
      text, [&](char32_t c, std::string& out) { out = c == ' ' ? replacement : utf8_of(c); });
}

bool gets_prefix(const AlignedText& text, const MetaspaceOptions& options) {
  if (text.empty() || options.prepend_scheme == PrependScheme::never ||
      text.text.starts_with(options.replacement))
    return false;
  return options.prepend_scheme == PrependScheme::always || text.origins.front().begin == 0;
}

std::vector<TextRange> places_of(std::string_view text, std::string_view of) {
  std::vector<TextRange> places;
  for (std::size_t at = text.find(of); at != std::string_view::npos;
       at = text.find(of, at + of.size()))
    places.push_back({at, at + of.size()});
  return places;
}

void split_metaspace(AlignedText given, const MetaspaceOptions& options, const PieceSink& pieces) {
  AlignedText text = with_spaces_replaced(given, options.replacement);
  given = {};
  if (gets_prefix(text, options)) prepend(text, options.replacement);
  if (!options.split) return add_piece(std::move(text), pieces);
  split(text, parts_between(places_of(text.text, options.replacement), text.text.size()),
        SplitBehavior::merged_with_next, pieces);
}

void split_regex(const AlignedText& text, const Regex& pattern, SplitBehavior behavior, bool invert,
                 const PieceSink& pieces) {
  std::vector<Part> parts = parts_between(pattern.matches(text.text), text.text.size());
  if (invert)
    for (Part& part : parts) part.is_match = !part.is_match;
  split(text, parts, behavior, pieces);
}

}  // namespace

PreTokenizer in_sequence(std::vector<PreTokenizer> all) {
  return [all = std::move(all)](AlignedText text, const PieceSink& pieces) {
    if (text.empty()) return;
    std::size_t bytes = 0;
    split_from(all, 0, std::move(text), [&](AlignedText piece) {
      require_aligned_bytes(bytes += piece.text.size());
      pieces(std::move(piece));
    });
  };
}

PreTokenizer split_by(Regex pattern, SplitBehavior behavior, bool invert) {
  return [shared = std::make_shared<const Regex>(std::move(pattern)), behavior, invert](
             const AlignedText& text, const PieceSink& pieces) {
    split_regex(text, *shared, behavior, invert, pieces);
  };
}

PreTokenizer split_at(bool (*is_one)(char32_t), SplitBehavior behavior) {
  return [=](const AlignedText& text, const PieceSink& pieces) {
    split(text, parts_between(matching_characters(text.text, is_one), text.text.size()), behavior,
          pieces);
  };
}

PreTokenizer byte_level_pre_tokenizer(bool add_prefix_space, bool use_regex) {
  const auto words =
      use_regex ? std::make_shared<const Regex>(gpt2_words, "GPT-2's words") : nullptr;
  return [=](AlignedText text, const PieceSink& pieces) {
    if (add_prefix_space && !text.empty() && !text.text.starts_with(' ')) prepend(text, " ");
    const PieceSink mapped = [&](const AlignedText& piece) { pieces(byte_level(piece)); };
    if (words)
      split_regex(text, *words, SplitBehavior::isolated, false, mapped);
    else
      add_piece(std::move(text), mapped);
  };
}

PreTokenizer metaspace(const MetaspaceOptions& options) {
  return [options](AlignedText text, const PieceSink& pieces) {
    split_metaspace(std::move(text), options, pieces);
  };
}

}  // namespace orrery
