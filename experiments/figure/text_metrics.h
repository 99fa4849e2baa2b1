#pragma once

#include <cairo.h>

#include <string_view>
#include <vector>

#include "experiments/figure/canvas.h"
#include "experiments/figure/fonts.h"

namespace orrery {

/// A line of text from the top of its box to its baseline, and the height of the box.
struct LineExtents {
  double ascent{};
  double height{};
};

/// Measures text alike for every kind of file: without hinting, and whatever the resolution or the
/// user's font settings.
class TextMetrics {
 public:
  /// Measures with `context`, whose font it changes; the context must outlive it.
  explicit TextMetrics(cairo_t* context);

  /// As glyphs stand on the line, cut where the font changes.
  std::vector<FontRun> runs(std::string_view utf8, bool bold);
  double width(const std::vector<FontRun>& runs, double size);
  LineExtents line(const TextStyle& style);
  Size size(std::string_view utf8, const TextStyle& style);

 private:
  cairo_t* context_;
  FontBook fonts_{};
};

/// Where the baseline starts, from the anchor, before any turning.
Point baseline_start(const TextStyle& style, double width, const LineExtents& line);

}  // namespace orrery
