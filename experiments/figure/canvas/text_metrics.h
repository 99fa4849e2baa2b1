#pragma once

#include <cairo.h>

#include <mutex>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/canvas/font_fallback.h"

namespace orrery {

/// Distance from the top of a line of text to its baseline, and the line's height.
struct LineExtents {
  double ascent{};
  double height{};
};

/// A thread's turn with Cairo's fonts, of which a thread may hold several. Cairo before 1.17.4 ends
/// the program when one thread lets go of a font's last use while another finds that font ("double
/// free and failed assertions in cairo_scaled_font_destroy", its commit a6773501), and a context
/// lets go of fonts in many of its calls: so one thread at a time has contexts. With later Cairo
/// there is nothing to wait for.
class CairoTurn {
 public:
  CairoTurn();

  /// Whether the threads of this program wait for each other.
  static bool needed();

 private:
  std::unique_lock<std::recursive_mutex> turn_;
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

}  // namespace orrery
