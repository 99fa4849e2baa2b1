#pragma once

#include <memory>
#include <vector>

#include "experiments/tokenizers/model.h"

namespace orrery {

struct UnigramOptions {
  std::int32_t unknown{-1};        ///< id of the token for what has none, or -1
  bool byte_fallback{false};       ///< <0x0A> tokens before the unknown one
  std::vector<bool> is_matched{};  ///< [slots] whether a text may become the token; empty: all
  std::vector<bool> is_scored{};   ///< [slots] whether the lowest score may be its; empty: all
};

/// The tokens of a piece whose scores have the largest sum, by Viterbi's algorithm:
///   score of an unknown character = the lowest score of a token − 10
///
/// A run of unknown characters is one token.
/// @param scores  [slots]
/// tokenize throws DataError: a character without a token, and there is no unknown one.
/// Source: Kudo 2018, arXiv:1804.10959, §3.2.
std::unique_ptr<Model> unigram_model(Vocabulary vocabulary, std::vector<double> scores,
                                     UnigramOptions options);

}  // namespace orrery
