#pragma once

#include <string>
#include <vector>

#include "experiments/model/result.h"

namespace orrery {

/// The wavelength of each pair of an encoding, in tokens per turn, as a table of a result. NaN for
/// pairs that are muted, infinite for channels that do not turn.
Table wavelength_table(const std::string& encoding, std::vector<double> wavelengths);

/// Those that a result has; null without.
const std::vector<double>* pair_wavelengths(const Result& result, const std::string& encoding);

}  // namespace orrery
