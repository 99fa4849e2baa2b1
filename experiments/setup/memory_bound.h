#pragma once

#include <string>

#include "core/errors.h"
#include "experiments/model/experiment.h"

namespace orrery::setup {

/// "WHAT: 3.0 GiB of memory is needed, and 2.0 GiB may be used; REMEDY".
IoError too_little_memory(double bytes, const std::string& what, const std::string& remedy);

/// Throws that where `bytes` are more than this process may have. Call it before what would fail
/// late.
void require_memory(double bytes, const std::string& what, const std::string& remedy);

/// The same for a run of an experiment.
void require_memory(const Experiment& experiment, const ParamSet& run);

}  // namespace orrery::setup
