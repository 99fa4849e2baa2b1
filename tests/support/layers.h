#pragma once

#include "experiments/model/layers.h"

// Lets tests use names without the namespaces of the layers.
namespace orrery {
using namespace cli;
}
