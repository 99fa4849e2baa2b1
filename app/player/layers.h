#pragma once

#include "app/session/layers.h"
#include "experiments/lessons/layers.h"

namespace orrery::player {
using namespace dialogs;
}
