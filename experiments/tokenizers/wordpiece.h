#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/tokenizers/model.h"

namespace orrery {

struct WordPieceOptions {
  std::string unknown{"[UNK]"};        ///< the token for a word that its tokens do not make
  std::string first_subword_prefix{};  ///< when there is one, pieces without it continue words
  std::string continuing_subword_prefix{"##"};
  std::size_t max_input_chars_per_word{100};  ///< a longer word is unknown
  std::vector<bool> is_matched{};  ///< [slots] whether a word may have the token; empty: all
};

/// BERT's tokens: the longest one that a word begins with, and so on with the rest.
/// Throws DataError: the unknown token is no token.
/// Source: Wu et al. 2016, arXiv:1609.08144, §4.1; greedy as in BERT.
std::unique_ptr<Model> word_piece_model(Vocabulary vocabulary, const WordPieceOptions& options);

}  // namespace orrery
