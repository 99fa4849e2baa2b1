#pragma once

#include <memory>

#include "app/views/view.h"

namespace orrery {

std::unique_ptr<View> make_decay_view();

}  // namespace orrery
