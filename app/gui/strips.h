#pragma once

#include <functional>
#include <span>
#include <vector>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

using StripSink = std::function<void(std::span<const Point>)>;

/// Cuts a line strip into the strips that are drawn: inside `clip` (a cut end lies on its border),
/// without the points that are not finite, and in dashes. Dashes keep their phase along the whole
/// strip, so that panning does not make them crawl.
void cut_strip(std::span<const Point> points, const Stroke& stroke, const Rect& clip,
               const StripSink& sink);

}  // namespace orrery
