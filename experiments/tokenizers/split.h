#pragma once

#include <functional>
#include <vector>

#include "experiments/tokenizers/aligned_text.h"
#include "experiments/tokenizers/regex.h"

namespace orrery {

/// What becomes of the places that a pattern matches, in "the-final--countdown" with "-":
///
///     removed               the final countdown
///     isolated              the - final - - countdown
///     merged_with_previous  the- final- - countdown
///     merged_with_next      the -final - -countdown
///     contiguous            the - final -- countdown
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

/// A part of a text, and whether a pattern matched it.
struct Part {
  TextRange range{};
  bool is_match{};
};

/// The parts that cover a text of `length` bytes: the matches, and what lies between them.
std::vector<Part> parts_between(const std::vector<TextRange>& matches, std::size_t length);

/// A match for each character that is one.
std::vector<TextRange> matching_characters(std::string_view text,
                                           const std::function<bool(char32_t)>& is_one);

/// Takes the pieces of a text one after another, so that they are never held together.
using PieceSink = std::function<void(AlignedText)>;

/// Hands out the pieces that a text falls into; empty ones are left out.
void split(const AlignedText& text, const std::vector<Part>& parts, SplitBehavior behavior,
           const PieceSink& pieces);

}  // namespace orrery
