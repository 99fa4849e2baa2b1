#include "app/gui/fallback_glyphs.h"

#include <fmt/format.h>
#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "experiments/files/file.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr char32_t first_foreign = 0x100, last_shown = 0xFFFF;
constexpr char32_t stands_for_none = 0xFFFD;  // stands for bytes that are no character
constexpr std::size_t example_count = 3;

struct Span {
  char32_t first, last;
};
// Chinese, Japanese, Korean: radicals to ideographs, Hangul, compatibility and wide forms.
constexpr std::array east_asian_spans{
    Span{0x1100, 0x11FF}, Span{0x2E80, 0x9FFF}, Span{0xA960, 0xA97F}, Span{0xAC00, 0xD7FF},
    Span{0xF900, 0xFAFF}, Span{0xFE30, 0xFE4F}, Span{0xFF00, 0xFFEF}};

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
  const bool east_asian = std::any_of(
      east_asian_spans.begin(), east_asian_spans.end(),
      [character](const Span& span) { return character >= span.first && character <= span.last; });
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
