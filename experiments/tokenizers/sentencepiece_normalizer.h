#pragma once

#include <optional>

#include "experiments/tokenizers/charsmap.h"
#include "experiments/tokenizers/normalizers.h"

namespace orrery {

struct SentencePieceOptions {
  bool add_space_prefix{false};
  bool remove_extra_whitespaces{false};  ///< none at the ends, and one for a run
};

/// What SentencePiece does to a text before a Unigram model: replaces the longest entries of its map of
/// characters, and writes ▁ for spaces.
Normalizer sentencepiece_normalizer(std::optional<Charsmap> map, SentencePieceOptions options);

}  // namespace orrery
