#pragma once

#include <array>
#include <memory>

#include "experiments/figure/canvas.h"
#include "experiments/figure/figure.h"

namespace orrery {

/// What a map is drawn on: low and neutral values lie near the background, so that what stands out
/// is what is large.
enum class Ground { light, dark };

/// 256 colours computed as a path through OKLCh.
struct Colormap {
  std::array<Color, 256> colors{};
  bool cyclic{false};

  /// Colour at a fraction of the range; clamped to [0, 1], or wrapped when cyclic. Not for NaN.
  Color at(double fraction) const { return colors[index(fraction)]; }
  std::size_t index(double fraction) const;
};

/// The map of a meaning. Sequential: lightness falls (light ground) or rises (dark ground) in equal
/// steps from indigo over teal to yellow. Diverging: blue for negative, orange for positive, equal
/// lightness at equal distance from a neutral middle. Cyclic: all hues at one lightness.
const Colormap& colormap(Meaning meaning, Ground ground);

/// The sequential map without the part that is too near the background for thin strokes.
const Colormap& stroke_colormap(Ground ground);

/// The map as a column of pixels, the highest value at the top. One image for the whole program, so
/// that a sink makes one texture of it.
std::shared_ptr<const Image> colormap_image(const Colormap& map);

}  // namespace orrery
