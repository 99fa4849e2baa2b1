#pragma once

#include "app/session/layers.h"
#include "experiments/model/layers.h"

namespace orrery::player {
using namespace dialogs;
}
