#include "experiments/figure/canvas/text_metrics.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

#include "core/errors.h"
#include "experiments/text/bidi.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr FcChar32 unknown_character = 0xFFFD;

struct FontRelease {
  void operator()(FcPattern* p) const { FcPatternDestroy(p); }
  void operator()(FcFontSet* s) const { FcFontSetDestroy(s); }
};
using FontPattern = std::unique_ptr<FcPattern, FontRelease>;
using FontSet = std::unique_ptr<FcFontSet, FontRelease>;

using FontFace = CairoOwner<cairo_font_face_t>;

/// The face of a font file, without the hinting and emboldening of the user's settings.
FontFace open_font(const std::string& file, int index) {
  const FontPattern plain(FcPatternCreate());
  if (!file.empty())
    FcPatternAddString(plain.get(), FC_FILE, reinterpret_cast<const FcChar8*>(file.c_str()));
  FcPatternAddInteger(plain.get(), FC_INDEX, index);
  return FontFace(cairo_ft_font_face_create_for_pattern(plain.get()));
}

FontPattern wanted_pattern(bool bold) {
  FontPattern pattern(FcPatternCreate());
  FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("DejaVu Sans"));
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, bold ? FC_WEIGHT_BOLD : FC_WEIGHT_NORMAL);
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  return pattern;
}

/// The face of a font that fontconfig found.
FontFace face_of(const FcPattern* font) {
  FcChar8* file = nullptr;
  int index = 0;
  if (FcPatternGetString(font, FC_FILE, 0, &file) != FcResultMatch) return open_font({}, 0);
  FcPatternGetInteger(font, FC_INDEX, 0, &index);
  return open_font(reinterpret_cast<const char*>(file), index);
}

bool has(const FcPattern* font, FcChar32 character) {
  FcCharSet* characters = nullptr;
  return FcPatternGetCharSet(font, FC_CHARSET, 0, &characters) == FcResultMatch &&
         FcCharSetHasChar(characters, character) == FcTrue;
}

/// The font of text in one weight, which fontconfig takes long to find.
struct MainFont {
  explicit MainFont(bool bold) : wanted(wanted_pattern(bold)) {
    FcResult result = FcResultNoMatch;
    best.reset(FcFontMatch(nullptr, wanted.get(), &result));
    if (!best)
      throw IoError("DejaVu Sans", "is not installed, nor is any other font that figures could use",
                    "apt install fonts-dejavu-core");
    face = face_of(best.get());
  }

  FontPattern wanted;
  FontPattern best;
  FontFace face;
};

/// Found once per program: canvases share it, and the outlines that Cairo keeps with it.
const MainFont& main_font(bool bold) {
  if (bold) {
    static const MainFont heavy(true);
    return heavy;
  }
  static const MainFont regular(false);
  return regular;
}

/// The opened font of symbols, which canvases share as well.
cairo_font_face_t* shared_face(const SymbolFont& font) {
  static std::mutex mutex;
  static std::map<const SymbolFont*, FontFace> opened;
  const std::scoped_lock one_at_a_time(mutex);
  FontFace& face = opened[&font];
  if (!face) face = open_font(font.file, font.index);
  return face.get();
}

std::unique_lock<std::recursive_mutex> turn_with_fonts() {
  static std::recursive_mutex one_at_a_time;
  return CairoTurn::needed() ? std::unique_lock(one_at_a_time)
                             : std::unique_lock<std::recursive_mutex>();
}

}  // namespace

/// Fonts of one weight in order of preference.
struct FontBook::Shelf {
  explicit Shelf(bool bold) : font(main_font(bold)) {}

  cairo_font_face_t* face_for(FcChar32 character) {
    if (character < 0x80 || has(font.best.get(), character)) return main();
    const auto [known, fresh] = chosen.try_emplace(character, main());
    if (fresh) known->second = substitute(character);
    return known->second;
  }

  cairo_font_face_t* substitute(FcChar32 character) {
    if (!others) {
      FcResult result = FcResultNoMatch;
      others.reset(FcFontSort(nullptr, font.wanted.get(), FcTrue, nullptr, &result));
    }
    for (int i = 0; others && i < others->nfont; ++i) {
      FcPattern* other = others->fonts[i];
      if (!has(other, character)) continue;
      FontFace& face = faces[i];
      if (!face) face = face_of(other);
      return face.get();
    }
    return main();
  }

  cairo_font_face_t* main() const { return font.face.get(); }

  const MainFont& font;
  FontSet others;
  std::map<int, FontFace> faces;
  std::map<FcChar32, cairo_font_face_t*> chosen;
};

FontBook::FontBook() = default;
FontBook::~FontBook() = default;

FontBook::Shelf& FontBook::shelf(bool bold) {
  auto& shelf = bold ? bold_ : regular_;
  if (!shelf) shelf = std::make_unique<Shelf>(bold);
  return *shelf;
}

cairo_font_face_t* FontBook::symbol_face(Face face, bool bold) {
  const SymbolFont* font = symbol_font(face, bold);
  if (!font) return nullptr;
  cairo_font_face_t*& opened = symbols_[font];
  if (!opened) opened = shared_face(*font);
  return opened;
}

cairo_font_face_t* FontBook::main_face(Face face, bool bold) {
  cairo_font_face_t* symbols = symbol_face(face, bold);
  return symbols ? symbols : shelf(bold).main();
}

std::vector<FontBook::Run> FontBook::runs(std::string_view utf8, Face wanted, bool bold) {
  std::vector<FontBook::Run> found;
  for (std::size_t i = 0; i < utf8.size();) {
    const std::size_t begin = i;
    const char32_t read = next_character(utf8, i);
    const char32_t character = read == not_utf8 ? unknown_character : read;
    cairo_font_face_t* face = face_with(character, wanted, bold) == Face::sans
                                  ? shelf(bold).face_for(character)
                                  : symbol_face(wanted, bold);
    if (found.empty() || found.back().face != face) found.push_back({face, {}});
    found.back().utf8.append(utf8.substr(begin, i - begin));
  }
  return found;
}

CairoOwner<cairo_font_options_t> options_without_hinting() {
  CairoOwner<cairo_font_options_t> options(cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  return options;
}

CairoTurn::CairoTurn() : turn_(turn_with_fonts()) {}

bool CairoTurn::needed() { return cairo_version() < CAIRO_VERSION_ENCODE(1, 17, 4); }

TextMetrics::TextMetrics(cairo_t* context) : context_(context) {
  const CairoOwner<cairo_font_options_t> options = options_without_hinting();
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context, options.get());
}

std::vector<FontBook::Run> TextMetrics::runs(std::string_view utf8, const TextStyle& style) {
  return fonts_.runs(in_visual_order(drawable_utf8(utf8)), style.face, style.bold);
}

double TextMetrics::width(const std::vector<FontBook::Run>& runs, double size) {
  double width = 0.0;
  for (const FontBook::Run& run : runs) {
    cairo_text_extents_t extents{};
    cairo_set_font_face(context_, run.face);
    cairo_set_font_size(context_, size);
    cairo_text_extents(context_, run.utf8.c_str(), &extents);
    width += extents.x_advance;
  }
  check_cairo(cairo_status(context_));
  return width;
}

TextMetrics::Line TextMetrics::line(const TextStyle& style) {
  cairo_set_font_face(context_, fonts_.main_face(style.face, style.bold));
  cairo_set_font_size(context_, style.size);
  cairo_font_extents_t font{};
  cairo_font_extents(context_, &font);
  check_cairo(cairo_status(context_));
  return {font.ascent, font.ascent + font.descent};
}

Size TextMetrics::size(std::string_view utf8, const TextStyle& style) {
  return {width(runs(utf8, style), style.size), line(style).height};
}

Point TextMetrics::baseline_start(const TextStyle& style, double width) {
  const auto [ascent, height] = line(style);
  return orrery::baseline_start(style, width, ascent, height);
}

}  // namespace orrery
