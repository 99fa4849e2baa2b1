#pragma once

#include "experiments/model/layers.h"

namespace orrery::identify {
using namespace data;
}
