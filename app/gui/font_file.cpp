#include "app/gui/font_file.h"

#include <ft2build.h>

#include <algorithm>
#include FT_FREETYPE_H

#include "experiments/files/file.h"

namespace orrery {
namespace {

constexpr std::uintmax_t max_bytes = std::uintmax_t{1} << 28;  // per font; Noto CJK has 2^24

struct LibraryDeleter {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
};
struct FaceDeleter {
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
using Library = std::unique_ptr<FT_LibraryRec_, LibraryDeleter>;
using Face = std::unique_ptr<FT_FaceRec_, FaceDeleter>;

Library start_freetype() {
  FT_Library library = nullptr;
  return FT_Init_FreeType(&library) == 0 ? Library(library) : Library();
}

Face open_face(FT_Library library, const std::string& bytes, int index) {
  FT_Face face = nullptr;
  const auto* data = reinterpret_cast<const FT_Byte*>(bytes.data());
  const auto size = static_cast<FT_Long>(bytes.size());
  return FT_New_Memory_Face(library, data, size, index, &face) == 0 ? Face(face) : Face();
}

bool is_sound(const std::string& bytes, int index, const std::vector<char32_t>& characters) {
  const Library library = start_freetype();
  const Face face = library ? open_face(library.get(), bytes, index) : Face();
  if (!face || !FT_IS_SFNT(face.get()) || !FT_IS_SCALABLE(face.get())) return false;
  return std::all_of(characters.begin(), characters.end(), [&](char32_t c) {
    const FT_UInt glyph = FT_Get_Char_Index(face.get(), c);
    return glyph == 0 || FT_Load_Glyph(face.get(), glyph, FT_LOAD_NO_SCALE) == 0;
  });
}

}  // namespace

std::shared_ptr<const std::string> read_font(const std::string& file, int index,
                                             const std::vector<char32_t>& characters) {
  auto bytes = std::make_shared<const std::string>(read_file(file, max_bytes));
  if (!is_sound(*bytes, index, characters))
    throw DataError(file, "is not a readable font", "install its package again");
  return bytes;
}

double font_line_per_em(const std::string& bytes, int index) {
  const Library library = start_freetype();
  const Face face = library ? open_face(library.get(), bytes, index) : Face();
  if (!face) return 1.0;
  const auto line = static_cast<double>(face->ascender - face->descender);
  return line / static_cast<double>(face->units_per_EM);
}

}  // namespace orrery
