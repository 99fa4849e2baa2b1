#include "experiments/figure/fonts.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

#include <map>

#include "core/errors.h"
#include "experiments/figure/utf8.h"

namespace orrery {
namespace {

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

/// One face for a file, without the hinting and embolding that the user's settings may ask for.
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

FcChar32 decoded(std::string_view character) {
  FcChar32 code = 0xFFFD;
  FcUtf8ToUcs4(reinterpret_cast<const FcChar8*>(character.data()), &code,
               static_cast<int>(character.size()));
  return code;
}

}  // namespace

/// The fonts of one weight, best first.
struct FontBook::Shelf {
  explicit Shelf(bool bold) : wanted(wanted_pattern(bold)) {
    FcResult result = FcResultNoMatch;
    best.reset(FcFontMatch(nullptr, wanted.get(), &result));
    check_invariant(best != nullptr, "fontconfig knows at least one font");
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
    const std::size_t length = character_length(utf8, i);
    const std::string_view character = utf8.substr(i, length);
    cairo_font_face_t* face = shelf(bold).face_for(decoded(character));
    if (found.empty() || found.back().face != face) found.push_back({face, {}});
    found.back().utf8.append(character);
    i += length;
  }
  return found;
}

}  // namespace orrery
