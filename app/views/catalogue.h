#pragma once

#include <memory>
#include <string_view>

#include "app/views/result_view.h"
#include "app/views/view.h"

namespace orrery {

/// The view of an experiment, arranged as suits it.
std::unique_ptr<View> make_view(std::string_view experiment);
/// How it is arranged before its user says otherwise.
ViewPlan view_plan(std::string_view experiment);

}  // namespace orrery
