#pragma once

#include <vector>

#include "core/encodings/rope.h"

namespace orrery {

/// Neighbouring pairs, and the logits that they alone would give.
template <class T>
struct RopeBand {
  std::size_t first{};  ///< pair
  std::size_t last{};   ///< pair, included
  Matrix<T> logits{};   ///< [N_q, N_k], over √d of the whole head
};

/// RoPE's score split by frequency: eq. (35) summed over `bands` runs of pairs, as even as they
/// come, fastest first. With the channels that are not rotated as `rest`, they add up to the
/// logits.
template <class T>
struct RopeDecomposition {
  std::vector<RopeBand<T>> bands{};
  Matrix<T> rest{};  ///< empty when every channel is rotated
};

/// q [N_q, d], k [N_k, d] before the rotation; there are at most as many bands as pairs.
/// Throws UsageError as Rope does, and for fewer than one band. Cost: bands·N_q·N_k·d.
template <class T>
RopeDecomposition<T> rope_decomposition(const Rope<T>& rope, const MatrixIn<T>& q,
                                        const MatrixIn<T>& k, PositionsIn m, PositionsIn n,
                                        int bands);

}  // namespace orrery
