#pragma once

#include <vector>

#include "core/encoding.h"

namespace orrery {

/// Neighbouring pairs, and the logits that they alone would give.
template <class T>
struct RopeBand {
  std::size_t first{};  ///< pair
  std::size_t last{};   ///< pair, included
  Matrix<T> logits{};   ///< [N_q, N_k], over √d of the whole head
};

/// RoPE's logits split by frequency: eq. (35) summed over `bands` runs of neighbouring pairs, as
/// even as they come, the fastest first. Together with `rest`, that of the channels that are not
/// rotated, they add up to the logits.
template <class T>
struct RopeDecomposition {
  std::vector<RopeBand<T>> bands{};
  Matrix<T> rest{};  ///< empty when every channel is rotated
};

/// q [N_q, d], k [N_k, d] before `rotation`, whose pairs are `pairs`, channels included; there are
/// at most as many bands as pairs. Throws UsageError as the rotation does, and for fewer than one
/// band. Cost: bands·N_q·N_k·d.
template <class T>
RopeDecomposition<T> rope_decomposition(const QkTransform<T>& rotation, const TurningPairs& pairs,
                                        const MatrixIn<T>& q, const MatrixIn<T>& k, PositionsIn m,
                                        PositionsIn n, int bands);

/// The same of q and k that are turned already. scoring.scale takes the place of 1/√d.
template <class T>
RopeDecomposition<T> decomposition_of_turned(const TurningPairs& pairs, const MatrixIn<T>& q,
                                             const MatrixIn<T>& k, int bands,
                                             const Scoring& scoring = {});

}  // namespace orrery
