#pragma once

#include <string>
#include <vector>

#include "core/analysis/decay.h"
#include "core/encodings/rope.h"
#include "experiments/decay_assumption.h"

namespace orrery {

// What is true of long-term decay, beside Fig. 2: (37) is a bound and no more, its curve is not
// monotone, Gaussian q and k have no decay, and any distance can be made the peak.

struct DecayFindings {
  const ParamSet& params;
  const DecayAssumption& assumption;
  const Rope<double>& rope;          ///< of the channels that turn, in neighbouring pairs
  const std::vector<double>& theta;  ///< of the pairs that are not muted: S_j runs over these
  const DecayCurve& curve;
};

/// Figures "bound_and_scores", "B" and "any_peak", table "bound", and the scalars and checks that
/// go with them. Progress from 0.88 on.
void add_truths(const DecayFindings& found, Progress& progress, Result& result);

/// What "decay" means for each encoding, and what it comes to: a table, drawn and as numbers.
class DecayMeanings {
 public:
  /// `mean` is the mean logit by distance, NaN where the encoding knows no position.
  void add(const std::string& name, const std::vector<double>& mean);
  void finish(const ParamSet& params, const std::string& assumption, Result& result) &&;

 private:
  std::vector<std::string> names_, meanings_;
  std::vector<double> at_zero_, at_last_, change_, lowest_;
};

}  // namespace orrery
