#pragma once

#include "experiments/model/layers.h"

namespace orrery::lessons {
using namespace reports;
}
namespace orrery::cli {
using namespace lessons;
}
