#pragma once

#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// A bracket drawn with strokes, for heights that no letter has: x from 0 to `width` in em and y
/// from −1 at the top to 1, always in the form that opens.
struct BracketShape {
  struct Stroke {
    std::vector<Point> points{};
    double width{};  ///< em
  };
  std::vector<Stroke> strokes{};
  double width{};  ///< em
};

/// An unknown bracket is a single bar.
BracketShape bracket_shape(std::string_view bracket);

/// One period of a sine for the tilde accent: x from −1 to 1, y from 0 to 2 upwards.
std::vector<Point> tilde_shape();

}  // namespace orrery
