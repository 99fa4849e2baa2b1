#pragma once

#include <memory>
#include <string_view>

#include "app/views/view.h"

namespace orrery {

/// The view made for an experiment, or the one that shows any: its figures as tabs.
std::unique_ptr<View> make_view(std::string_view experiment);

}  // namespace orrery
