#pragma once

#include "app/session/layers.h"
#include "tests/support/layers.h"

namespace orrery {
using namespace headless;
}
