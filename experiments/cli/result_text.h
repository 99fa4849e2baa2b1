#pragma once

#include <string>

#include "experiments/model/result.h"

namespace orrery {

/// What a terminal shows of a result: its printed tables, its scalars and its checks.
std::string result_text(const Result& result);

}  // namespace orrery
