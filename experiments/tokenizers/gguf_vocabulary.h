#pragma once

#include <memory>
#include <string_view>

#include "experiments/tokenizers/tokenizer.h"

namespace orrery {

/// The tokenizer of a GGUF's metadata: tokenizer.ggml.model gpt2 (merges, split by the expressions of
/// .pre), llama (SentencePiece's byte-pair encoding), bert (WordPiece) and t5 (Unigram).
///
/// gpt2, llama and t5 as llama.cpp encodes with special tokens read in the text; bert as BERT itself
/// does, with words of more than 100 characters unknown and Unicode's tables of categories.h.
/// Of tokens that overlap in the text the leftmost counts, as in tokenizer.json, where llama.cpp takes
/// the longest.
///
/// Throws DataError: no tokenizer, a model or .pre that is not known, a list that is missing or too
/// short, a score that is not finite, a token to add that is none.
std::unique_ptr<Tokenizer> parse_gguf_vocabulary(std::string_view bytes, std::string_view name);

}  // namespace orrery
