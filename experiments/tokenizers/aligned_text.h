#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/text/utf8.h"

namespace orrery {

/// A text that was made from the given one, and where each of its bytes comes from.
struct AlignedText {
  /// Bytes [begin, end) of the text that was given.
  struct Origin {
    std::uint32_t begin{}, end{};
  };

  std::string text{};
  std::vector<Origin> origins{};  ///< [text.size()]

  bool empty() const { return text.empty(); }
};

/// The given text itself, each byte from its whole character.
AlignedText aligned(std::string_view given);

/// Bytes [begin, end) of an aligned text.
AlignedText slice(const AlignedText& from, std::size_t begin, std::size_t end);

/// Longest text that normalisation may make.
inline constexpr std::size_t max_aligned_bytes = std::size_t{64} << 20;

/// Throws DataError: more than max_aligned_bytes.
void require_aligned_bytes(std::size_t bytes);

/// Appends bytes that all come from `origin`. Throws DataError, as the next ones: more than
/// max_aligned_bytes.
void append(AlignedText& to, std::string_view bytes, AlignedText::Origin origin);

/// Appends bytes [begin, end) of another aligned text.
void append(AlignedText& to, const AlignedText& from, std::size_t begin, std::size_t end);

/// Puts bytes that come from nowhere before a text that is not empty.
void prepend(AlignedText& to, std::string_view bytes);

/// Where bytes [begin, end) come from, from the first one to the last one. Needs begin < end.
AlignedText::Origin origin_of(const AlignedText& text, std::size_t begin, std::size_t end);

/// The text with replace(character) for each character.
/// @param replace  char32_t, std::string& → void: appends to the string what stands for it
template <class Replace>
AlignedText with_characters(const AlignedText& from, const Replace& replace) {
  AlignedText out;
  out.text.reserve(from.text.size());
  out.origins.reserve(from.text.size());
  std::string bytes;
  for (std::size_t at = 0; at < from.text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(from.text, at);
    bytes.clear();
    replace(character, bytes);
    append(out, bytes, origin_of(from, begin, at));
  }
  return out;
}

}  // namespace orrery
