#pragma once

#include <string>
#include <vector>

#include "experiments/setup/user_qkv.h"

namespace orrery {

// The assumption about q and k: the decay of a score depends on it more than on anything else.

/// The parameters "assumption", "draws", "q", "k", "head", "trained_layer", in this order.
std::vector<ParamSpec> decay_assumption_params();

struct DecayAssumption {
  Index d{};
  std::vector<QkPair> pairs{};
  bool every_direction{};  ///< pairs are an example: the mean is over all directions, exactly
  std::string text{};      ///< for titles: "q = k = (1, …, 1)"

  bool has_spread() const { return pairs.size() > 1; }
};

/// The pairs of q and k that "assumption" names. From files and from the trained model, `draws`
/// random pairs of rows of q and k. Throws UsageError without both files, for an encoding that adds
/// to the input and for a head that the model does not have, and DataError for files that do not fit
/// each other or have an odd number of channels.
DecayAssumption decay_assumption(const ParamSet& params, const Inputs& inputs);

}  // namespace orrery
