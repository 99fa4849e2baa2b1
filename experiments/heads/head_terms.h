#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

/// A summand of a head's logits.
struct HeadTerm {
  std::string name{};                  ///< "pairs 0–7", "linear_bias", "softcap"
  std::size_t first_pair{}, pairs{0};  ///< that it is of; none for the others
  bool is_softcap{};
  bool is_plural{};  ///< the name
  Array logits{};    ///< [N, N]
};

/// A head over a text, its logits as a sum.
struct HeadTerms {
  /// Of RoPE four runs of neighbouring pairs, the fastest first, and other channels; else the terms
  /// of the layer's encoding. Last what the softcap takes away, where there is one.
  std::vector<HeadTerm> terms{};
  double softcap{};  ///< c: the logits are c·tanh(Σ/c) of the terms before the last; 0 for none
  Array logits{};    ///< final but for the mask. [N, N]
  std::size_t channels{};  ///< d_head
  std::string encoding{};  ///< that the terms are of: "rope", "alibi"
};

}  // namespace orrery
