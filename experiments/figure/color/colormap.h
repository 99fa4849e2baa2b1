#pragma once

#include <array>
#include <memory>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Background of a map. Low and neutral values have colours near it, so that large values stand
/// out.
enum class Background { light, dark };

/// 256 colours along a path through OKLCh.
struct Colormap {
  std::array<Color, 256> colors{};
  bool cyclic{false};

  /// Colour at a fraction of the range; clamped to [0, 1], or wrapped when cyclic. Where a fraction
  /// has no place, NaN, or infinite when cyclic, the first one: who draws has a colour for it.
  Color at(double fraction) const { return colors[index(fraction)]; }
  std::size_t index(double fraction) const;
};

/// The colour map for a meaning of values. Sequential: lightness falls (light background) or rises
/// (dark background) in equal steps from indigo over teal to yellow. Diverging: blue for negative,
/// orange for positive, equal lightness at equal distance from a neutral middle. Cyclic: all hues
/// at one lightness.
const Colormap& colormap(Meaning meaning, Background background);

/// The sequential map without the colours that are too near the background for thin strokes.
const Colormap& stroke_colormap(Background background);

/// The map as a column of pixels with the highest value at the top. Every call returns the same
/// image, so that a canvas creates only one texture.
std::shared_ptr<const Image> colormap_image(const Colormap& map);

}  // namespace orrery
