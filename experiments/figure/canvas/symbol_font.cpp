#include "experiments/figure/canvas/symbol_font.h"

#include <fontconfig/fontconfig.h>

#include <atomic>
#include <memory>
#include <optional>

namespace orrery {
namespace {

struct Release {
  void operator()(FcPattern* p) const { FcPatternDestroy(p); }
  void operator()(FcFontSet* s) const { FcFontSetDestroy(s); }
  void operator()(FcObjectSet* s) const { FcObjectSetDestroy(s); }
  void operator()(FcCharSet* s) const { FcCharSetDestroy(s); }
};
using Pattern = std::unique_ptr<FcPattern, Release>;

std::atomic<int> hidden{0};

std::optional<SymbolFont> read(const FcPattern* found) {
  SymbolFont font;
  FcChar8* file = nullptr;
  FcCharSet* characters = nullptr;
  if (FcPatternGetString(found, FC_FILE, 0, &file) != FcResultMatch ||
      FcPatternGetCharSet(found, FC_CHARSET, 0, &characters) != FcResultMatch)
    return std::nullopt;
  font.file = reinterpret_cast<const char*>(file);
  FcPatternGetInteger(found, FC_INDEX, 0, &font.index);
  font.has = [set = std::shared_ptr<FcCharSet>(FcCharSetCopy(characters), Release())](char32_t c) {
    return FcCharSetHasChar(set.get(), static_cast<FcChar32>(c)) == FcTrue;
  };
  return font;
}

/// The installed font of exactly this family and style: a match by likeness would answer with
/// another family.
std::optional<SymbolFont> find(int slant, int weight) {
  const Pattern wanted(FcPatternBuild(nullptr, FC_FAMILY, FcTypeString, "STIXGeneral", FC_SLANT,
                                      FcTypeInteger, slant, FC_WEIGHT, FcTypeInteger, weight,
                                      FC_SCALABLE, FcTypeBool, FcTrue, nullptr));
  const std::unique_ptr<FcObjectSet, Release> asked(
      FcObjectSetBuild(FC_FILE, FC_INDEX, FC_CHARSET, nullptr));
  const std::unique_ptr<FcFontSet, Release> found(FcFontList(nullptr, wanted.get(), asked.get()));
  return found && found->nfont > 0 ? read(found->fonts[0]) : std::nullopt;
}

struct SymbolFonts {
  std::optional<SymbolFont> roman{find(FC_SLANT_ROMAN, FC_WEIGHT_REGULAR)};
  std::optional<SymbolFont> bold{find(FC_SLANT_ROMAN, FC_WEIGHT_BOLD)};
  std::optional<SymbolFont> italic{find(FC_SLANT_ITALIC, FC_WEIGHT_REGULAR)};
  bool complete() const { return roman && bold && italic; }
};

}  // namespace

const SymbolFont* symbol_font(Face face, bool bold) {
  if (face == Face::sans || hidden > 0) return nullptr;
  static const SymbolFonts fonts;
  if (!fonts.complete()) return nullptr;
  if (face == Face::italic) return &*fonts.italic;
  return bold ? &*fonts.bold : &*fonts.roman;
}

Face face_with(char32_t character, Face wanted, bool bold) {
  const SymbolFont* font = symbol_font(wanted, bold);
  return font && font->has(character) ? wanted : Face::sans;
}

WithoutSymbolFonts::WithoutSymbolFonts() { ++hidden; }
WithoutSymbolFonts::~WithoutSymbolFonts() { --hidden; }

}  // namespace orrery
