#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/studies/long_term_decay/decay_claims.h"

namespace orrery {

// The mean logits by distance: where each has fallen to half of what it is at distance 0, and for
// RoPE what the bound (37) and the base have to do with that.

struct DecayLogits {
  LinePlot plot{};  ///< a curve per encoding
  /// Of the mean at distance 0, by encoding; 0 without a spread.
  std::vector<double> standard_errors{};
  const DecayFindings* rope{};  ///< null where RoPE is not among the encodings
};

/// Adds the figure "decay_scores" as the first one, and a scalar per encoding.
/// @param theta_at  the frequencies that turn with another base; nothing where a base plays no part
void add_logits_figure(
    DecayLogits logits, const std::string& caption,
    const std::function<std::optional<std::vector<double>>(double factor)>& theta_at,
    Result& result);

}  // namespace orrery
