#pragma once

#include <functional>

#include "experiments/model/layers.h"

namespace orrery::lessons {

/// Runs a part of reading; its error becomes a problem of that line, and reading goes on.
using Guarded = std::function<void(int line, const std::function<void()>& read)>;

}  // namespace orrery::lessons
