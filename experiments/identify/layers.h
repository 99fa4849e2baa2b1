#pragma once

// The layer on top of verify: cmake/layers.txt.
namespace orrery::verify {}
namespace orrery::identify {
using namespace verify;
}
