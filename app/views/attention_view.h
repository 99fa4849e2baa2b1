#pragma once

#include <memory>

#include "app/views/view.h"

namespace orrery {

std::unique_ptr<View> make_attention_view();

}  // namespace orrery
