#pragma once

#include <functional>
#include <string>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

// The fonts of symbols: STIX, whose letters are those of printed mathematics. Without it symbols
// are set in the font of text, as upright letters.

/// An installed font of symbols.
struct SymbolFont {
  std::string file{};
  int index{};
  std::function<bool(char32_t)> has{};
};

/// The font of symbols of a face; null for `sans`, and where STIX is not installed. Looked for once
/// per program.
const SymbolFont* symbol_font(Face face, bool bold);

/// The face that a character is drawn in: the wanted one, or `sans` where its font lacks it.
Face face_with(char32_t character, Face wanted, bool bold);

/// Makes symbol_font() answer as if nothing were installed while it lives; for tests.
class WithoutSymbolFonts {
 public:
  WithoutSymbolFonts();
  ~WithoutSymbolFonts();
  WithoutSymbolFonts(const WithoutSymbolFonts&) = delete;
  WithoutSymbolFonts& operator=(const WithoutSymbolFonts&) = delete;
};

}  // namespace orrery
