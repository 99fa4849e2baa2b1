#pragma once

#include <string>
#include <vector>

#include "core/analysis/decay.h"
#include "core/encodings/rope.h"
#include "experiments/setup/eigen_arrays.h"

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

// Claims about long-term decay beside Fig. 2: (37) is only an upper bound, its curve is not
// monotone, Gaussian q and k have no decay, and any distance can be made the peak.

struct DecayFindings {
  const ParamSet& params;
  const DecayAssumption& assumption;
  const Rope<double>& rope;          ///< of the rotated channels, in neighbouring pairs
  const std::vector<double>& theta;  ///< of the pairs that are not muted: S_j runs over these
  const DecayCurve& curve;
};

/// RoPE's mean logits by distance with the frequencies of another base.
/// @param at_zero  the mean logit at distance 0, where no base plays a part
std::vector<double> mean_logits_with(const DecayFindings& found, const std::vector<double>& theta,
                                     double at_zero);

/// Figures "bound_and_scores", "B" and "any_peak", table "bound", and the scalars and checks that
/// go with them.
void add_bound_claims(const DecayFindings& found, Progress& progress, Result& result);

/// The quantity that falls with distance for each encoding, and by how much: as figure, table and
/// scalars.
/// @param logits  the mean logit of each by distance, NaN where a position is undefined
void add_meanings(const ParamSet& params, const std::string& assumption,
                  const std::vector<Series>& logits, Result& result);

}  // namespace orrery
