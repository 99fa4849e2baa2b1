#pragma once

#include <string>

namespace orrery {

/// Counts the points of a sweep and its shards again and again until all have an outcome.
int watch_status(const std::string& folder);

}  // namespace orrery
