#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/tokenizers/model.h"

namespace orrery {

struct BpeOptions {
  std::optional<std::string> unknown{};     ///< the token for characters without one
  std::string continuing_subword_prefix{};  ///< of a character that is not the first
  std::string end_of_word_suffix{};         ///< of the last character
  bool fuse_unknown{false};                 ///< one token for a run of them
  bool byte_fallback{false};                ///< <0x0A> tokens before the unknown one
  bool ignore_merges{false};                ///< a piece that is a token is that one
};

/// Pairs of pieces, the first to be merged first.
using MergeList = std::vector<std::pair<std::string, std::string>>;

/// Byte-pair encoding: the characters of a piece, neighbours merged by a list of pairs. A character
/// without a token is left out where there is no unknown one.
/// Throws DataError: a pair of pieces, or what they make together, that is no token.
/// Source: Sennrich, Haddow and Birch 2016, §3.2.
std::unique_ptr<Model> bpe_model(Vocabulary vocabulary, const MergeList& merges,
                                 BpeOptions options);

}  // namespace orrery
