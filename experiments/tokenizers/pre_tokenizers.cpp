#include "experiments/tokenizers/stages.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "experiments/tokenizers/unicode.h"

namespace orrery {
namespace {

/// A part of a text, and whether a pattern matched it.
struct Part {
  TextRange range{};
  bool is_match{};
};

/// A match joins the part before it, unless that was a match as well.
std::vector<TextRange> merged_with_previous(const std::vector<Part>& parts) {
  std::vector<TextRange> merged;
  bool after_match = false;
  for (const Part& part : parts) {
    if (part.is_match && !after_match && !merged.empty())
      merged.back().end = part.range.end;
    else
      merged.push_back(part.range);
    after_match = part.is_match;
  }
  return merged;
}

std::vector<TextRange> merged_with_next(const std::vector<Part>& parts) {
  std::vector<TextRange> merged;
  bool before_match = false;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->is_match && !before_match && !merged.empty())
      merged.back().begin = part->range.begin;
    else
      merged.push_back(part->range);
    before_match = part->is_match;
  }
  std::reverse(merged.begin(), merged.end());
  return merged;
}

std::vector<TextRange> contiguous(const std::vector<Part>& parts) {
  std::vector<TextRange> merged;
  bool after_match = false;
  for (const Part& part : parts) {
    if (part.is_match == after_match && !merged.empty())
      merged.back().end = part.range.end;
    else
      merged.push_back(part.range);
    after_match = part.is_match;
  }
  return merged;
}

std::vector<TextRange> merged(const std::vector<Part>& parts, SplitBehavior behavior) {
  if (behavior == SplitBehavior::merged_with_previous) return merged_with_previous(parts);
  if (behavior == SplitBehavior::merged_with_next) return merged_with_next(parts);
  return contiguous(parts);
}

/// The parts that cover a text of `length` bytes: the matches, and what lies between them.
std::vector<Part> parts_between(const std::vector<TextRange>& matches, std::size_t length) {
  std::vector<Part> parts;
  parts.reserve(matches.size() + 1);  // of words nothing lies between them
  std::size_t end = 0;
  for (const TextRange& match : matches) {
    if (end != match.begin) parts.push_back({{end, match.begin}, false});
    parts.push_back({match, true});
    end = match.end;
  }
  if (end != length) parts.push_back({{end, length}, false});
  return parts;
}

/// A match for each character that is one.
std::vector<TextRange> matching_characters(std::string_view text,
                                           const std::function<bool(char32_t)>& is_one) {
  std::vector<TextRange> matches;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (is_one(next_character(text, at))) matches.push_back({begin, at});
  }
  return matches;
}

/// Hands out the pieces that a text falls into; empty ones are left out.
void split(const AlignedText& text, const std::vector<Part>& parts, SplitBehavior behavior,
           const PieceSink& pieces) {
  const auto hand_out = [&](const TextRange& range) {
    if (range.begin != range.end) pieces(slice(text, range.begin, range.end));
  };
  if (behavior == SplitBehavior::removed || behavior == SplitBehavior::isolated) {
    for (const Part& part : parts)
      if (behavior == SplitBehavior::isolated || !part.is_match) hand_out(part.range);
    return;
  }
  for (const TextRange& range : merged(parts, behavior)) hand_out(range);
}

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
  if (text.empty() || options.prepend_scheme == MetaspaceOptions::PrependScheme::never ||
      text.text.starts_with(options.replacement))
    return false;
  return options.prepend_scheme == MetaspaceOptions::PrependScheme::always ||
         text.origins.front().begin == 0;
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

PreTokenizer bert_pre_tokenizer() {
  return in_sequence({split_at(is_white_space, SplitBehavior::removed),
                      split_at(is_punctuation, SplitBehavior::isolated)});
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
