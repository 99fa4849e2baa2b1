#pragma once

#include <string>

#include "core/errors.h"

namespace orrery {

/// For a NAME that is neither an experiment, a preset nor a sweep file: throws a UsageError that
/// says what it is instead: the folder of a result or a sweep, a manifest, an encoding, a
/// parameter, or a choice of one. Returns when it is none of these.
void suggest_for_name(const std::string& name);

/// For "KEY=VALUE: must be one of …": throws a UsageError with what papers and other programs mean
/// by that value, or with the parameter of the same experiment or encoding that has it. Returns
/// when there is none.
/// @param message  of the error that was thrown
void suggest_for_value(const std::string& message);

}  // namespace orrery
