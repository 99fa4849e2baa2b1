#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/tokenizers/vocabulary.h"

namespace orrery {

/// A token, and how many bytes of its piece it stands for.
struct Subword {
  std::int32_t id{};
  std::size_t length{};
};

/// What turns a piece of a text into tokens.
class Model {
 public:
  explicit Model(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Model() = default;

  /// Appends the tokens of a piece that is not empty. Their lengths add up to its own, at most.
  /// Throws DataError: no token stands for a part of it.
  virtual void tokenize(std::string_view piece, std::vector<Subword>& tokens) const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

/// Appends the tokens of a text's bytes. False, and none is appended, where one of them is not there.
/// @param ids  byte_ids
bool add_bytes(std::string_view text, const std::array<std::int32_t, 256>& ids,
               std::vector<Subword>& tokens);

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

/// SentencePiece's byte-pair encoding, as a GGUF holds it: two neighbours are merged where the vocabulary
/// has what they make together, that of the highest score first. A character without a token becomes
/// byte tokens, or the unknown one.
/// @param scores   [slots]
/// @param unknown  the unknown token's id, or -1: then tokenize throws DataError for such a character
std::unique_ptr<Model> scored_bpe_model(Vocabulary vocabulary, std::vector<double> scores,
                                        std::int32_t unknown);

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
