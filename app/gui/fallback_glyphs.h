#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// The bytes of a font file whose face `index` FreeType can open, with sound outlines for those of
/// the characters that it has. Dear ImGui's own reader believes every offset in a file, and ends
/// the program where it finds no font.
/// Throws IoError when the file cannot be read, DataError when the font is damaged.
std::shared_ptr<const std::string> read_font(const std::string& file, int index,
                                             const std::vector<char32_t>& characters);

/// (ascender − descender) / em of a face that read_font returned: what Dear ImGui scales a font by.
double font_line_per_em(const std::string& bytes, int index);

using FontReader = std::function<std::shared_ptr<const std::string>(
    const std::string& file, int index, const std::vector<char32_t>& characters)>;

// Finds installed fonts for the characters that DejaVu Sans lacks, since tokens come in any script.

using Characters = std::set<char32_t>;

/// A font found by fontconfig.
struct InstalledFont {
  std::string file{};
  int index{};  ///< within a collection (.ttc)
  std::function<bool(char32_t)> has{};
};

/// All scalable fonts, ordered by similarity to DejaVu Sans. Takes tens of milliseconds.
std::vector<InstalledFont> installed_fonts();

/// The characters to take from each font.
struct GlyphPlan {
  struct Part {
    std::string file{};
    int index{};
    Characters characters{};
    std::shared_ptr<const std::string> bytes{};  ///< of the file, see read_font
  };
  std::vector<Part> parts{};
  Characters missing{};  ///< characters that no font has
};

/// Assigns each character to the first font that has it; a font that cannot be read has none.
/// Characters beyond max_foreign_glyphs are left out, since the font texture is limited.
GlyphPlan plan_glyphs(const Characters& wanted, std::vector<InstalledFont> fonts,
                      const FontReader& reader = read_font);
inline constexpr std::size_t max_foreign_glyphs = 3000;

/// Adds the characters of a text that lie beyond Latin-1 and, as Dear ImGui requires, below
/// U+10000.
void add_characters(std::string_view utf8, Characters& characters);

/// "fonts-noto-cjk": the Debian package with fonts for the script of a character.
std::string package_for(char32_t character);

/// Names characters without a font and the packages to install; one sentence per package.
std::string missing_text(const Characters& missing);

}  // namespace orrery
