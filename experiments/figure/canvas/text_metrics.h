#pragma once

#include <cairo.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/canvas/image_surface.h"
#include "experiments/figure/canvas/symbol_font.h"

namespace orrery {

/// Fonts for text in any script, as tokens may be: DejaVu Sans, STIX for symbols where it is
/// installed, and fontconfig's substitutes for the characters that they lack. One per canvas; not
/// to be shared between threads.
class FontBook {
 public:
  /// A piece of text in one font.
  struct Run {
    cairo_font_face_t* face{};
    std::string utf8{};
  };

  FontBook();
  ~FontBook();
  FontBook(const FontBook&) = delete;
  FontBook& operator=(const FontBook&) = delete;

  /// The font that determines the height of lines.
  cairo_font_face_t* main_face(Face face, bool bold);
  /// The text in order, split where the font changes. Characters that no font has get the main
  /// font, which draws a box.
  std::vector<Run> runs(std::string_view utf8, Face face, bool bold);

 private:
  struct Shelf;
  Shelf& shelf(bool bold);
  cairo_font_face_t* symbol_face(Face face, bool bold);
  std::unique_ptr<Shelf> regular_;
  std::unique_ptr<Shelf> bold_;
  std::map<const SymbolFont*, cairo_font_face_t*> symbols_;
};

/// Options of a font by which its letters keep their outlines and widths.
CairoOwner<cairo_font_options_t> options_without_hinting();

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
  std::vector<FontBook::Run> runs(std::string_view utf8, const TextStyle& style);
  double width(const std::vector<FontBook::Run>& runs, double size);
  Size size(std::string_view utf8, const TextStyle& style);
  /// Start of the baseline relative to the anchor, before rotation.
  Point baseline_start(const TextStyle& style, double width);

 private:
  /// Distance from the top of a line of text to its baseline, and the line's height.
  struct Line {
    double ascent{};
    double height{};
  };
  Line line(const TextStyle& style);

  cairo_t* context_;
  FontBook fonts_{};
};

}  // namespace orrery
