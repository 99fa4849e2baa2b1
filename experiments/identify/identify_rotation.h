#pragma once

#include "experiments/identify/rope_search.h"

namespace orrery {

/// Finds which rope turned a tensor into another.
///
/// Each row's position is read off the tensor first (measured_positions); where it follows from the
/// stated ones by a rule that has a name, the answer says the rule, and otherwise the positions.
///
/// Frequencies and stretch are estimated, not tried:
/// each pair's angle is solved for by row and regressed on positions, for each way of pairing that
/// keeps lengths (pair_phasors.h); frequencies give bases and scalings (frequency_families.h). Then
/// hypotheses are ranked by the residual of the applied tensor: those of the estimates, of released
/// models, and all of these with each known defect.
///
/// All of it happens on a sample of rows and heads; the best are measured on the whole. Two hypotheses are tied when their squared residuals,
/// in units of the better one's variance, differ by less than `evidence_to_decide`. Throws
/// UsageError for shapes that disagree, and for no hypothesis at all: an odd number of channels.
RotationAnswer identify_rotation(const RotationQuestion& question);

}  // namespace orrery
