#pragma once

#include <cairo.h>

#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/canvas/font_fallback.h"

namespace orrery::figure {

/// Distance from the top of a line of text to its baseline, and the line's height.
struct LineExtents {
  double ascent{};
  double height{};
};

/// Measures text the same for every file format: without hinting, and independent of resolution and
/// the user's font settings. What measures throws IoError where Cairo has failed before or fails
/// now: a context that failed measures 0 from then on.
class TextMetrics {
 public:
  /// Measures with `context`, whose font it changes; the context must outlive it.
  explicit TextMetrics(cairo_t* context);

  /// The text in visual order, split where the font changes.
  std::vector<FontRun> runs(std::string_view utf8, const TextStyle& style);
  double width(const std::vector<FontRun>& runs, double size);
  LineExtents line(const TextStyle& style);
  Size size(std::string_view utf8, const TextStyle& style);

 private:
  cairo_t* context_;
  FontBook fonts_{};
};

/// Start of the baseline relative to the anchor, before rotation.
Point baseline_start(const TextStyle& style, double width, const LineExtents& line);

}  // namespace orrery::figure
