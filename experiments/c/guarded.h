#pragma once

#include <functional>

#include "experiments/c/orrery.h"

namespace orrery {

/// Runs the work of one call and turns what it throws into a status and a text.
orrery_status guarded(const std::function<void()>& work) noexcept;

/// The text of the thread's last call.
const char* error_text() noexcept;

}  // namespace orrery
