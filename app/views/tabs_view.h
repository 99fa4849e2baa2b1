#pragma once

#include <memory>

#include "app/views/view.h"

namespace orrery {

/// Any experiment, one figure at a time: made for curves, where each figure is another question.
std::unique_ptr<View> make_tabs_view();

}  // namespace orrery
