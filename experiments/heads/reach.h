#pragma once

#include <cstdint>
#include <vector>

#include "experiments/heads/live_model.h"
#include "experiments/model/progress.h"
#include "experiments/statistics/welch.h"

namespace orrery {

/// The losses of some tokens behind a context of a length.
struct ContextLoss {
  std::int64_t context{};        ///< c: a target sees c tokens or up to `targets` − 1 more
  std::vector<double> losses{};  ///< mean over the targets of each text, nats
  double loss{};                 ///< mean over texts
  /// What the tokens beyond the context before lower the loss by, paired by texts; of the first
  /// context NaN.
  Welch gain{};
  double p{};    ///< of no gain, Holm-corrected over all contexts
  bool helps{};  ///< p < 0.05, and the loss is lower
};

/// How far back a model reads, by its loss: the last tokens of each text, predicted behind contexts
/// of 1, 2, 4, … tokens that end at them. A context begins a sequence of its own, so that nothing
/// of what is beyond comes through other tokens.
struct ContextReach {
  std::int64_t targets{};
  std::vector<ContextLoss> contexts{};
  std::int64_t reach{};  ///< the longest context that helps; the first where none does
  bool is_limit{};       ///< it is the longest that the texts allow: the model may read farther
};

/// @param texts  of which the shortest sets the longest context
/// @param first  stands before each context that does not begin its text; −1 for none
/// Throws UsageError: texts without room for a context of 1, a model without losses.
/// Cost: a pass over each context.
ContextReach context_reach(LiveModel& model, const std::vector<ModelText>& texts,
                           std::int64_t targets, std::int32_t first, Progress& progress);

}  // namespace orrery
