#pragma once

#include <string>

#include "experiments/model/result.h"

namespace orrery {

enum class Shown { first, all };

/// What a terminal shows of a result: what its first figure says, its printed tables, its scalars
/// and its checks. The first scalars alone, and how many checks hold, or all of both; what
/// fails is always there.
std::string result_text(const Result& result, Shown shown);

}  // namespace orrery
