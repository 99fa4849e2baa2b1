#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/tokenizers/byte_trie.h"
#include "experiments/tokenizers/normalizers.h"

namespace orrery {

/// A token that is found in the text before anything splits it, such as <|im_start|>.
struct AddedToken {
  std::int32_t id{};
  std::string content{};
  bool single_word{};       ///< not within a word
  bool lstrip{}, rstrip{};  ///< it takes the white space before or after it along
  bool normalized{};        ///< found in the normalised text, normalised itself
};

/// A stretch of a text: an added token, or what is between two.
struct Stretch {
  AlignedText text{};
  std::optional<std::int32_t> id{};
};

/// Finds added tokens, from left to right the longest one; of two that are alike the first.
class AddedTokens {
 public:
  AddedTokens() = default;
  AddedTokens(std::vector<AddedToken> tokens, Normalizer normalizer);

  /// The text without the tokens that are sought in it as it is, normalised, and without those that are
  /// sought then. No stretch is empty.
  std::vector<Stretch> separate(AlignedText text) const;

 private:
  struct Patterns {
    std::vector<AddedToken> tokens{};
    std::vector<std::string> texts{};
    ByteTrie trie{};
  };
  static Patterns patterns_of(std::vector<AddedToken> tokens, std::vector<std::string> texts);
  static void find(const Patterns& patterns, AlignedText text, std::vector<Stretch>& out);

  Normalizer normalizer_{};
  Patterns raw_{}, normalized_{};
};

}  // namespace orrery
