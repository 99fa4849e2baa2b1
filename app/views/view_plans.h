#pragma once

#include <string_view>

#include "app/views/result_view.h"

namespace orrery::views {

/// How the figures of an experiment are arranged until its user changes it.
ViewPlan view_plan(std::string_view experiment);

}  // namespace orrery::views
