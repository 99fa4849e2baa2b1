#include "experiments/figure/canvas/font_face.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

namespace orrery {
namespace {

struct Release {
  void operator()(FcPattern* p) const { FcPatternDestroy(p); }
};

}  // namespace

FontFace open_font(const std::string& file, int index) {
  const std::unique_ptr<FcPattern, Release> plain(FcPatternCreate());
  if (!file.empty())
    FcPatternAddString(plain.get(), FC_FILE, reinterpret_cast<const FcChar8*>(file.c_str()));
  FcPatternAddInteger(plain.get(), FC_INDEX, index);
  return FontFace(cairo_ft_font_face_create_for_pattern(plain.get()));
}

}  // namespace orrery
