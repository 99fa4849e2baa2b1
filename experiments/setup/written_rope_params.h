#pragma once

#include <string>
#include <vector>

#include "experiments/identify/written_rope.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// "defect" and the parameters of the sound rope it is a defect of: dim, base, pairing, fraction,
/// scaling, factor and L₀. The default defect is `defect`, "none" allowed where `may_be_sound`.
std::vector<ParamSpec> written_rope_params(const std::string& defect, bool may_be_sound);

/// The rope without its defect.
WrittenRope sound_rope_of(const ParamSet& params);

/// The rope with the parameter "defect", for tensors of so many rows. Throws UsageError where it
/// cannot be made in the sound one.
WrittenRope defective_rope_of(const ParamSet& params, Index rows);

}  // namespace orrery
