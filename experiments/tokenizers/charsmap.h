#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tokenizers/aligned_text.h"

namespace orrery {

/// The precompiled map of characters in a SentencePiece model: a double array (a trie whose nodes
/// share one array) of what is replaced, and the texts that replace it.
class Charsmap {
 public:
  /// @param blob  u32 length of the array in bytes, the array, texts that each end with a NUL
  /// Throws DataError: cut off, a node or a text beyond the end, a text that is not UTF-8. No search in
  /// what it accepts leaves the array.
  Charsmap(std::string_view blob, std::string_view name);

  struct Match {
    std::size_t length{};  ///< bytes that are replaced
    std::string_view replacement{};
  };

  /// The shortest beginning of a text that has an entry.
  std::optional<Match> shortest(std::string_view text) const;
  /// The longest one.
  std::optional<Match> longest(std::string_view text) const;

 private:
  template <class Visit>
  void walk(std::string_view text, const Visit& visit) const;
  std::string_view replacement(std::uint32_t node) const;

  std::vector<std::uint32_t> nodes_;
  std::string replacements_;
};

/// A text normalised as Hugging Face's Precompiled does it: a cluster of characters (UAX #29) of at
/// most 5 bytes that begins with an entry is replaced as a whole, by that of its shortest beginning;
/// in any other cluster each character is replaced by itself.
AlignedText with_charsmap(const Charsmap& map, const AlignedText& text);

/// The bytes of a text in base64. Throws DataError: something else.
std::string from_base64(std::string_view base64, std::string_view name);

}  // namespace orrery
