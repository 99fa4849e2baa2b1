#pragma once

#include <string>
#include <vector>

#include "experiments/studies/sequence_length/study.h"

namespace orrery {

// What the lengths beyond the training length found, in titles.

/// "RoPE leaves the range seen in training by 3.1".
std::string logit_title(const LengthStudy& of, const ParamSet& params);
/// Whose attention widens with the length, and whose does not.
std::string entropy_title(const std::vector<LengthStudy>& all, const ParamSet& params);
/// Who keeps most on recent tokens at the largest length, and who least.
std::string recent_title(const std::vector<LengthStudy>& all, const ParamSet& params);
/// Whose weights a shift leaves as they are.
std::string offset_title(const std::vector<LengthStudy>& all, const ParamSet& params);

}  // namespace orrery
