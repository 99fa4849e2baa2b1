#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// Which installed fonts have the characters that DejaVu Sans is not loaded with: tokens come in any
// script.

using Characters = std::set<char32_t>;

/// A font that fontconfig knows.
struct InstalledFont {
  std::string file{};
  int index{};  ///< within a collection (.ttc)
  std::function<bool(char32_t)> has{};
};

/// The scalable fonts, those first that suit DejaVu Sans best. Slow: tens of milliseconds.
std::vector<InstalledFont> installed_fonts();

/// What is taken from which font.
struct GlyphPlan {
  struct Part {
    std::string file{};
    int index{};
    Characters characters{};
  };
  std::vector<Part> parts{};
  Characters missing{};  ///< what no font has
};

/// Each character from the first font that has it. Of more than kMostForeign the rest is left out:
/// the font texture has its limits.
GlyphPlan plan_glyphs(const Characters& wanted, const std::vector<InstalledFont>& fonts);
inline constexpr std::size_t kMostForeign = 3000;

/// Adds the characters beyond Latin-1 of a text, as far as Dear ImGui can have them: up to U+FFFF.
void add_characters(std::string_view utf8, Characters& characters);

/// "fonts-noto-cjk": the Debian package with fonts for the script of a character.
std::string package_for(char32_t character);

/// What is said of characters without a font, and what to install; one sentence a package.
std::string missing_text(const Characters& missing);

}  // namespace orrery
