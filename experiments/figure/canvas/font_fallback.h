#pragma once

#include <cairo.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/canvas/font_face.h"
#include "experiments/figure/canvas/symbol_font.h"

namespace orrery {

/// A piece of text in one font.
struct FontRun {
  cairo_font_face_t* face{};
  std::string utf8{};
};

/// Fonts for text in any script, as tokens may be: DejaVu Sans, STIX for symbols where it is
/// installed, and fontconfig's substitutes for the characters that they lack. One per canvas; not
/// to be shared between threads.
class FontBook {
 public:
  FontBook();
  ~FontBook();
  FontBook(const FontBook&) = delete;
  FontBook& operator=(const FontBook&) = delete;

  /// The font that determines the height of lines.
  cairo_font_face_t* main_face(Face face, bool bold);
  /// The text in order, split where the font changes. Characters that no font has get the main
  /// font, which draws a box.
  std::vector<FontRun> runs(std::string_view utf8, Face face, bool bold);

 private:
  struct Shelf;
  Shelf& shelf(bool bold);
  cairo_font_face_t* symbol_face(Face face, bool bold);
  std::unique_ptr<Shelf> regular_;
  std::unique_ptr<Shelf> bold_;
  std::map<const SymbolFont*, cairo_font_face_t*> symbols_;
};

}  // namespace orrery
