#include "experiments/tokenizers/split.h"

#include <algorithm>

namespace orrery {
namespace {

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

}  // namespace

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

std::vector<TextRange> matching_characters(std::string_view text,
                                           const std::function<bool(char32_t)>& is_one) {
  std::vector<TextRange> matches;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (is_one(next_character(text, at))) matches.push_back({begin, at});
  }
  return matches;
}

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

}  // namespace orrery
