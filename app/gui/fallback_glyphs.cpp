#include "app/gui/fonts.h"

#include <fmt/format.h>
#include <fontconfig/fontconfig.h>
#include <ft2build.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include FT_FREETYPE_H

#include "experiments/files/file.h"
#include "experiments/text/utf8.h"

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
using FontFace = std::unique_ptr<FT_FaceRec_, FaceDeleter>;

Library start_freetype() {
  FT_Library library = nullptr;
  return FT_Init_FreeType(&library) == 0 ? Library(library) : Library();
}

FontFace open_face(FT_Library library, const std::string& bytes, int index) {
  FT_Face face = nullptr;
  const auto* data = reinterpret_cast<const FT_Byte*>(bytes.data());
  const auto size = static_cast<FT_Long>(bytes.size());
  return FT_New_Memory_Face(library, data, size, index, &face) == 0 ? FontFace(face) : FontFace();
}

bool is_sound(const std::string& bytes, int index, const std::vector<char32_t>& characters) {
  const Library library = start_freetype();
  const FontFace face = library ? open_face(library.get(), bytes, index) : FontFace();
  if (!face || !FT_IS_SFNT(face.get()) || !FT_IS_SCALABLE(face.get())) return false;
  return std::all_of(characters.begin(), characters.end(), [&](char32_t c) {
    const FT_UInt glyph = FT_Get_Char_Index(face.get(), c);
    return glyph == 0 || FT_Load_Glyph(face.get(), glyph, FT_LOAD_NO_SCALE) == 0;
  });
}

constexpr char32_t first_foreign = 0x100, last_shown = 0xFFFF;
constexpr char32_t stands_for_none = 0xFFFD;  // stands for bytes that are no character
constexpr std::size_t example_count = 3;

struct CharacterSpan {
  char32_t first, last;
};
// Chinese, Japanese, Korean: radicals to ideographs, Hangul, compatibility and wide forms.
constexpr std::array east_asian_spans{CharacterSpan{0x1100, 0x11FF}, CharacterSpan{0x2E80, 0x9FFF},
                                      CharacterSpan{0xA960, 0xA97F}, CharacterSpan{0xAC00, 0xD7FF},
                                      CharacterSpan{0xF900, 0xFAFF}, CharacterSpan{0xFE30, 0xFE4F},
                                      CharacterSpan{0xFF00, 0xFFEF}};

struct Deleter {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
  void operator()(FcFontSet* set) const { FcFontSetDestroy(set); }
  void operator()(FcCharSet* set) const { FcCharSetDestroy(set); }
};

/// Whether Dear ImGui's reader of fonts takes it.
bool is_readable(FcPattern* pattern) {
  FcBool scalable = FcFalse, color = FcFalse;
  FcChar8* format = nullptr;
  FcPatternGetBool(pattern, FC_SCALABLE, 0, &scalable);
  FcPatternGetBool(pattern, FC_COLOR, 0, &color);
  if (FcPatternGetString(pattern, FC_FONTFORMAT, 0, &format) != FcResultMatch) return false;
  const std::string name = reinterpret_cast<const char*>(format);
  return scalable == FcTrue && color == FcFalse && (name == "TrueType" || name == "CFF");
}

InstalledFont font_of(FcPattern* pattern) {
  InstalledFont font;
  FcChar8* file = nullptr;
  FcCharSet* characters = nullptr;
  if (!is_readable(pattern) || FcPatternGetString(pattern, FC_FILE, 0, &file) != FcResultMatch ||
      FcPatternGetCharSet(pattern, FC_CHARSET, 0, &characters) != FcResultMatch)
    return font;
  font.file = reinterpret_cast<const char*>(file);
  FcPatternGetInteger(pattern, FC_INDEX, 0, &font.index);
  font.index &= 0xFFFF;  // above are the instances of a variable font
  font.has = [set = std::shared_ptr<FcCharSet>(FcCharSetCopy(characters), Deleter())](char32_t c) {
    return FcCharSetHasChar(set.get(), static_cast<FcChar32>(c)) == FcTrue;
  };
  return font;
}

GlyphPlan assign(const Characters& wanted, const std::vector<InstalledFont>& fonts) {
  GlyphPlan plan;
  std::map<std::size_t, Characters> by_font;
  std::size_t taken = 0;
  for (const char32_t c : wanted) {
    const auto font = std::find_if(fonts.begin(), fonts.end(),
                                   [c](const InstalledFont& one) { return one.has(c); });
    if (font == fonts.end())
      plan.missing.insert(c);
    else if (taken++ < max_foreign_glyphs)
      by_font[static_cast<std::size_t>(font - fonts.begin())].insert(c);
  }
  for (auto& [i, characters] : by_font)
    plan.parts.push_back({fonts[i].file, fonts[i].index, std::move(characters), {}});
  return plan;
}

/// Whether the bytes of the part's font could be read.
bool read(GlyphPlan::Part& part, const FontReader& reader) {
  try {
    part.bytes = reader(part.file, part.index, {part.characters.begin(), part.characters.end()});
    return true;
  } catch (const Error&) {
    return false;
  }
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
  const FontFace face = library ? open_face(library.get(), bytes, index) : FontFace();
  if (!face) return 1.0;
  const auto line = static_cast<double>(face->ascender - face->descender);
  return line / static_cast<double>(face->units_per_EM);
}

std::string dejavu_file(bool bold) {
  const std::unique_ptr<FcPattern, Deleter> wanted(
      FcPatternBuild(nullptr, FC_FAMILY, FcTypeString, "DejaVu Sans", FC_WEIGHT, FcTypeInteger,
                     bold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR, FC_SLANT, FcTypeInteger,
                     FC_SLANT_ROMAN, FC_WIDTH, FcTypeInteger, FC_WIDTH_NORMAL, nullptr));
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult outcome = FcResultNoMatch;
  const std::unique_ptr<FcPattern, Deleter> found(FcFontMatch(nullptr, wanted.get(), &outcome));
  FcChar8* family = nullptr;
  FcChar8* file = nullptr;
  const bool readable = found &&
                        FcPatternGetString(found.get(), FC_FAMILY, 0, &family) == FcResultMatch &&
                        FcPatternGetString(found.get(), FC_FILE, 0, &file) == FcResultMatch;
  // fontconfig answers with the nearest family when the one asked for is missing.
  if (!readable || std::string(reinterpret_cast<const char*>(family)) != "DejaVu Sans")
    throw std::runtime_error(
        "DejaVu Sans: the font of the desktop is not installed; apt install fonts-dejavu-core");
  return reinterpret_cast<const char*>(file);
}

std::vector<InstalledFont> installed_fonts() {
  const std::unique_ptr<FcPattern, Deleter> wanted(
      FcPatternBuild(nullptr, FC_FAMILY, FcTypeString, "DejaVu Sans", nullptr));
  FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult outcome = FcResultNoMatch;
  const std::unique_ptr<FcFontSet, Deleter> sorted(
      FcFontSort(nullptr, wanted.get(), FcTrue, nullptr, &outcome));
  std::vector<InstalledFont> fonts;
  for (int i = 0; sorted && i < sorted->nfont; ++i)
    if (InstalledFont font = font_of(sorted->fonts[i]); !font.file.empty())
      fonts.push_back(std::move(font));
  return fonts;
}

GlyphPlan plan_glyphs(const Characters& wanted, std::vector<InstalledFont> fonts,
                      const FontReader& reader) {
  for (;;) {
    GlyphPlan plan = assign(wanted, fonts);
    const auto unreadable =
        std::find_if_not(plan.parts.begin(), plan.parts.end(),
                         [&](GlyphPlan::Part& part) { return read(part, reader); });
    if (unreadable == plan.parts.end()) return plan;
    std::erase_if(fonts, [&](const InstalledFont& font) {
      return font.file == unreadable->file && font.index == unreadable->index;
    });
  }
}

void add_characters(std::string_view text, Characters& characters) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c >= first_foreign && c <= last_shown && c != stands_for_none) characters.insert(c);
  }
}

std::string package_for(char32_t character) {
  const bool east_asian = std::any_of(east_asian_spans.begin(), east_asian_spans.end(),
                                      [character](const CharacterSpan& span) {
                                        return character >= span.first && character <= span.last;
                                      });
  return east_asian ? "fonts-noto-cjk" : "fonts-noto-core";
}

std::string missing_text(const Characters& missing) {
  std::map<std::string, Characters> by_package;
  for (const char32_t c : missing) by_package[package_for(c)].insert(c);
  std::string words;
  for (const auto& [package, characters] : by_package) {
    std::string examples;
    std::size_t named = 0;
    for (const char32_t c : characters) {
      if (named++ == example_count) break;
      examples += fmt::format("{}{} (U+{:04X})", named > 1 ? ", " : "", utf8_of(c),
                              static_cast<std::uint32_t>(c));
    }
    if (!words.empty()) words += '\n';
    words += fmt::format("No installed font has {}{}; apt install {}", examples,
                         characters.size() > example_count ? " …" : "", package);
  }
  return words;
}

}  // namespace orrery
