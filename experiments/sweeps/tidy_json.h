#pragma once

#include <span>
#include <string>

#include "core/params.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery {

/// One line of JSON per row: id, status, repeat, seed, every setting of the point, encoding, and
/// the measures and checks that it has. NaN is null.
std::string tidy_jsonl(const TidyTable& table, std::span<const ParamSpec> specs);

}  // namespace orrery
