#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/tokenizers/split.h"

namespace orrery {

/// Hands out the pieces that a piece falls into: one of Hugging Face's pre-tokenizers. No token
/// reaches beyond a piece.
using PreTokenizer = std::function<void(AlignedText, const PieceSink&)>;

enum class PrependScheme { first, always, never };

struct MetaspaceOptions {
  std::string replacement{"▁"};
  PrependScheme prepend_scheme{PrependScheme::always};
  bool split{true};
};

PreTokenizer in_sequence(std::vector<PreTokenizer> all);
PreTokenizer split_by(Regex pattern, SplitBehavior behavior, bool invert);
/// Splits at each character that is one.
PreTokenizer split_at(bool (*is_one)(char32_t), SplitBehavior behavior);
/// GPT-2's: its own words, where asked for, and visible characters for bytes.
PreTokenizer byte_level_pre_tokenizer(bool add_prefix_space, bool use_regex);
/// SentencePiece's: a visible character for each space.
PreTokenizer metaspace(const MetaspaceOptions& options);

}  // namespace orrery
