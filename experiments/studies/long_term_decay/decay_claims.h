#pragma once

#include <string>
#include <vector>

#include "core/analysis/decay.h"
#include "core/encodings/rope.h"
#include "experiments/studies/long_term_decay/qk_assumption.h"

namespace orrery {

// Claims about long-term decay beside Fig. 2: (37) is only an upper bound, its curve is not
// monotone, Gaussian q and k have no decay, and any distance can be made the peak.

struct DecayFindings {
  const ParamSet& params;
  const DecayAssumption& assumption;
  const Rope<double>& rope;          ///< of the rotated channels, in neighbouring pairs
  const std::vector<double>& theta;  ///< of the pairs that are not muted: S_j runs over these
  const DecayCurve& curve;
};

/// Figures "bound_and_scores", "B" and "any_peak", table "bound", and the scalars and checks that
/// go with them.
void add_bound_claims(const DecayFindings& found, Progress& progress, Result& result);

/// The quantity that falls with distance for each encoding, and by how much: as figure, table and
/// scalars.
/// @param logits  the mean logit of each by distance, NaN where a position is undefined
void add_meanings(const ParamSet& params, const std::string& assumption,
                  const std::vector<Series>& logits, Result& result);

}  // namespace orrery
