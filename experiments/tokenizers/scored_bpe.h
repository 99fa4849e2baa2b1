#pragma once

#include <memory>
#include <vector>

#include "experiments/tokenizers/model.h"

namespace orrery {

/// SentencePiece's byte-pair encoding, as a GGUF holds it: two neighbours are merged where the vocabulary
/// has what they make together, that of the highest score first. A character without a token becomes
/// byte tokens, or the unknown one.
/// @param scores   [slots]
/// @param unknown  the unknown token's id, or -1: then tokenize throws DataError for such a character
std::unique_ptr<Model> scored_bpe_model(Vocabulary vocabulary, std::vector<double> scores,
                                        std::int32_t unknown);

}  // namespace orrery
