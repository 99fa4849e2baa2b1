#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/heads/layers.h"
#include "experiments/model/figure.h"

namespace orrery::heads {

/// A summand of a head's logits.
struct HeadTerm {
  std::string name{};                  ///< "pairs 0–7", "other channels", "softcap"
  std::size_t first_pair{}, pairs{0};  ///< that it is of; none for the others
  bool is_softcap{};
  Array logits{};  ///< [N, N]
  bool is_plural() const { return pairs != 1 && !is_softcap; }
};

/// A head of a RoPE layer over a text, its logits as a sum.
struct HeadTerms {
  /// Four runs of neighbouring pairs, the fastest first, and other channels; last what the softcap
  /// takes away, where there is one.
  std::vector<HeadTerm> terms{};
  double softcap{};  ///< c: the logits are c·tanh(Σ/c) of the terms before the last; 0 for none
  Array logits{};    ///< final but for the mask. [N, N]
  std::size_t channels{};  ///< d_head
};

}  // namespace orrery::heads
