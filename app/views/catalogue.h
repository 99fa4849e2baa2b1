#pragma once

#include <memory>
#include <string_view>

#include "app/views/view.h"

namespace orrery {

/// The view of an experiment, arranged as suits it.
std::unique_ptr<View> make_view(std::string_view experiment);

}  // namespace orrery
