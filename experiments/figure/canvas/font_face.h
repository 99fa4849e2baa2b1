#pragma once

#include <cairo.h>

#include <memory>
#include <string>

namespace orrery {

struct DestroyFontFace {
  void operator()(cairo_font_face_t* face) const { cairo_font_face_destroy(face); }
};
using FontFace = std::unique_ptr<cairo_font_face_t, DestroyFontFace>;

/// The face of a font file, without the hinting and emboldening of the user's settings.
FontFace open_font(const std::string& file, int index);

}  // namespace orrery
