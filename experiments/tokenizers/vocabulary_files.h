#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "experiments/tokenizers/tokenizer.h"

namespace orrery {

/// What tokenizer_config.json says of a tokenizer whose vocabulary stands in files of text.
struct TokenizerConfig {
  std::string tokenizer_class{};  ///< empty where there is no such file
  bool lowercase{true};           ///< do_lower_case
  bool add_prefix_space{false};
};

/// The tokenizer of vocab.json and merges.txt: GPT2Tokenizer, which is also taken where no class is
/// named, or RobertaTokenizer. Throws DataError: another class, damaged files.
std::unique_ptr<Tokenizer> parse_vocabulary_and_merges(std::string_view vocabulary,
                                                       std::string_view merges,
                                                       std::string_view name,
                                                       const TokenizerConfig& config);

/// The tokenizer of vocab.txt, a token on each line: BertTokenizer, which is also taken where no class
/// is named, DistilBertTokenizer or ElectraTokenizer. Throws DataError: another class, not UTF-8, a
/// special token that is missing.
std::unique_ptr<Tokenizer> parse_word_pieces(std::string_view lines, std::string_view name,
                                             const TokenizerConfig& config);

}  // namespace orrery
