#pragma once

#include <memory>
#include <string>

#include "app/views/view.h"

namespace orrery {

/// Shows any experiment: its figures as tabs.
std::unique_ptr<View> make_plain_view(std::string experiment);

}  // namespace orrery
