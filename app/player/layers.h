#pragma once

#include "app/session/layers.h"

namespace orrery::player {
using namespace panels;
}
