#include "experiments/figure/canvas/font_fallback.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

#include <map>

#include "core/errors.h"
#include "experiments/text/utf8.h"

namespace orrery::figure {
namespace {

constexpr FcChar32 unknown_character = 0xFFFD;

struct Release {
  void operator()(FcPattern* p) const { FcPatternDestroy(p); }
  void operator()(FcFontSet* s) const { FcFontSetDestroy(s); }
  void operator()(cairo_font_face_t* f) const { cairo_font_face_destroy(f); }
};
using Pattern = std::unique_ptr<FcPattern, Release>;
using FontSet = std::unique_ptr<FcFontSet, Release>;
using Face = std::unique_ptr<cairo_font_face_t, Release>;

Pattern wanted_pattern(bool bold) {
  Pattern pattern(FcPatternCreate());
  FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("DejaVu Sans"));
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, bold ? FC_WEIGHT_BOLD : FC_WEIGHT_NORMAL);
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  return pattern;
}

/// The face of a font file, without the hinting and emboldening of the user's settings.
Face face_of(const FcPattern* font) {
  Pattern plain(FcPatternCreate());
  FcChar8* file = nullptr;
  int index = 0;
  if (FcPatternGetString(font, FC_FILE, 0, &file) == FcResultMatch) {
    FcPatternAddString(plain.get(), FC_FILE, file);
  }
  if (FcPatternGetInteger(font, FC_INDEX, 0, &index) == FcResultMatch) {
    FcPatternAddInteger(plain.get(), FC_INDEX, index);
  }
  return Face(cairo_ft_font_face_create_for_pattern(plain.get()));
}

bool has(const FcPattern* font, FcChar32 character) {
  FcCharSet* characters = nullptr;
  return FcPatternGetCharSet(font, FC_CHARSET, 0, &characters) == FcResultMatch &&
         FcCharSetHasChar(characters, character) == FcTrue;
}

}  // namespace

/// Fonts of one weight in order of preference.
struct FontBook::Shelf {
  explicit Shelf(bool bold) : wanted(wanted_pattern(bold)) {
    FcResult result = FcResultNoMatch;
    best.reset(FcFontMatch(nullptr, wanted.get(), &result));
    if (!best)
      throw IoError("DejaVu Sans", "is not installed, nor is any other font that figures could use",
                    "apt install fonts-dejavu-core");
    main = face_of(best.get());
  }

  cairo_font_face_t* face_for(FcChar32 character) {
    if (character < 0x80 || has(best.get(), character)) return main.get();
    const auto [known, fresh] = chosen.try_emplace(character, main.get());
    if (fresh) known->second = substitute(character);
    return known->second;
  }

  cairo_font_face_t* substitute(FcChar32 character) {
    if (!others) {
      FcResult result = FcResultNoMatch;
      others.reset(FcFontSort(nullptr, wanted.get(), FcTrue, nullptr, &result));
    }
    for (int i = 0; others && i < others->nfont; ++i) {
      FcPattern* font = others->fonts[i];
      if (!has(font, character)) continue;
      Face& face = faces[i];
      if (!face) face = face_of(font);
      return face.get();
    }
    return main.get();
  }

  Pattern wanted;
  Pattern best;
  Face main;
  FontSet others;
  std::map<int, Face> faces;
  std::map<FcChar32, cairo_font_face_t*> chosen;
};

FontBook::FontBook() = default;
FontBook::~FontBook() = default;

FontBook::Shelf& FontBook::shelf(bool bold) {
  auto& shelf = bold ? bold_ : regular_;
  if (!shelf) shelf = std::make_unique<Shelf>(bold);
  return *shelf;
}

cairo_font_face_t* FontBook::main_face(bool bold) { return shelf(bold).main.get(); }

std::vector<FontRun> FontBook::runs(std::string_view utf8, bool bold) {
  std::vector<FontRun> found;
  for (std::size_t i = 0; i < utf8.size();) {
    const std::size_t begin = i;
    const char32_t character = next_character(utf8, i);
    cairo_font_face_t* face =
        shelf(bold).face_for(character == not_utf8 ? unknown_character : character);
    if (found.empty() || found.back().face != face) found.push_back({face, {}});
    found.back().utf8.append(utf8.substr(begin, i - begin));
  }
  return found;
}

}  // namespace orrery::figure
