#pragma once

#include <functional>

namespace orrery {

/// Runs a part of reading. Its error becomes a problem of that line, and reading goes on, unless the
/// guard lets the error pass.
using Guarded = std::function<void(int line, const std::function<void()>& read)>;

/// The guard that lets errors pass.
inline void unguarded(int, const std::function<void()>& read) { read(); }

}  // namespace orrery
