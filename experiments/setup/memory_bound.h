#pragma once

#include <string>

#include "experiments/model/layers.h"

namespace orrery::setup {

/// Throws UsageError where `bytes` are more than this process may have: "WHAT: take 3.0 GiB, and
/// 2.0 GiB may be used; REMEDY". Call it before what would fail late.
void require_memory(double bytes, const std::string& what, const std::string& remedy);

}  // namespace orrery::setup
