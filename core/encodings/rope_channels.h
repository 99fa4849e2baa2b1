#pragma once

#include "core/encodings/settings.h"
#include "core/params.h"
#include "core/types.h"

namespace orrery {

/// Which channels form a pair. The two differ by a permutation of channels: scores agree only
/// when the rows of W_q and W_k are permuted along.
enum class RopePairing {
  interleaved,  ///< (2t, 2t+1): the paper, GPT-J, Llama as released by Meta
  half_split,   ///< (t, t + r/2): GPT-NeoX, Llama in Hugging Face Transformers
};

// What encodings that turn pairs of channels share: which channels turn, and which go together.

/// rope.pairing.
ParamSpec rope_pairing_param();
/// rope.fraction.
ParamSpec rope_fraction_param();

RopePairing rope_pairing_of(const ParamSet& params);
/// The first r = ⌊rope.fraction·d_head⌋ channels. Throws UsageError: d_head or r odd or below 2.
Index rotary_dims_of(const EncodingSettings& settings);

/// Throws UsageError for a d_head that is odd or not positive.
void check_head_of_pairs(Index d_head);
/// r, where 0 stands for all of d_head. Throws UsageError: d_head or r odd or not positive, or
/// r > d_head.
Index checked_rotary_dims(Index d_head, Index rotary_dims);

}  // namespace orrery
