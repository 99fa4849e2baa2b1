#pragma once

#include <memory>
#include <string_view>

#include "experiments/tokenizers/tokenizer.h"

namespace orrery {

/// Whether a model expects its first and last token around a text. A tokenizer.model does not say so.
struct SentenceEnds {
  bool add_bos{false};
  bool add_eos{false};
};

/// Longest text that libsentencepiece is given: it takes time with the square of a run of characters that
/// it has no token for, 8 s for this many bytes of them.
inline constexpr std::size_t max_sentencepiece_bytes = std::size_t{1} << 20;

/// The tokenizer of a tokenizer.model, by libsentencepiece. Control tokens such as <s> that stand in
/// the text are text.
/// Throws DataError: what check_sentencepiece refuses, or the library, exceptions of its own included; a first or last token to add that
/// the model does not have. Its calls throw DataError: a text longer than max_sentencepiece_bytes.
std::unique_ptr<Tokenizer> parse_sentencepiece(std::string_view proto, std::string_view name,
                                               const SentenceEnds& ends);

}  // namespace orrery
