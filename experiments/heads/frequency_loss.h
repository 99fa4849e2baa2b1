#pragma once

#include <vector>

#include "experiments/heads/model_texts.h"

namespace orrery {

/// Mean losses of the predicted tokens of texts by their frequencies, in nats: a model that has
/// learned anything loses less.
struct FrequencyLoss {
  /// Of each text by the frequencies of all of them, which no model can know.
  std::vector<double> of_same{};
  /// Mean over the texts, of each by the others, whose N tokens are of T kinds out of V: n/(N + T) for a token that
  /// they have n times, T/((N + T)(V − T)) for one that they do not have (I. H. Witten and T. C. Bell,
  /// IEEE Trans. Inf. Theory 37, 1991, method C).
  double of_others{};
};

/// @param vocabulary  V
FrequencyLoss frequency_loss(const std::vector<ModelText>& texts, int vocabulary);

}  // namespace orrery
