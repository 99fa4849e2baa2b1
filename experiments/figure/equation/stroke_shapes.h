#pragma once

#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"

namespace orrery::figure {

/// Strokes of a bracket drawn as lines, for heights that no letter has: x from 0 to 1 and y from −1
/// to 1, always in the form that opens. An unknown bracket is a single bar.
std::vector<std::vector<Point>> bracket_shape(std::string_view bracket);

/// One period of a sine for the tilde accent: x from −1 to 1, y from 0 to 2 upwards.
std::vector<Point> tilde_shape();

}  // namespace orrery::figure
