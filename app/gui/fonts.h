#pragma once

#include <imgui.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"

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

/// The fonts on screen: DejaVu Sans, and STIX for symbols where it is installed, in the few sizes
/// that interface, figures and formulas use, at one scale.
/// Owned by the atlas of the Dear ImGui context it was loaded into.
class Fonts {
 public:
  /// Loads into the atlas of the current context, replacing what was there. `scale` multiplies
  /// every size; above max_glyph_scale the letters of that are enlarged, since no graphics card
  /// holds finer ones. `foreign` is what other fonts lend it. Throws std::runtime_error naming the
  /// package when DejaVu Sans is not installed, IoError or DataError when it cannot be read.
  static Fonts load(double scale, const GlyphPlan& foreign = {});

  static constexpr double max_glyph_scale = 3.0;

  struct Sized {
    double em{};    ///< pixels
    double line{};  ///< from ascender to descender, in pixels: what Dear ImGui calls its size
    ImFont* font{};
  };
  /// The loaded font of a face whose em is nearest to `em` pixels; bold where a bold one is loaded.
  Sized nearest(double em, bool bold, Face face = Face::sans) const;

  /// Remembers the characters that a text is drawn with and that are not loaded.
  void note_lacking(std::string_view utf8) const;
  /// The characters noted since loading.
  const Characters& lacking() const { return *lacking_; }

  ImFont* body() const { return body_; }
  ImFont* small() const { return small_; }
  ImFont* title() const { return title_; }
  /// The bold fonts, the smallest first.
  const std::vector<Sized>& bold() const { return bold_; }

  /// Pixels from ascender to descender for an em: what Dear ImGui calls a font's size.
  static double line_height(double em);

 private:
  void load_symbols(double scale);
  const std::vector<Sized>& sizes(bool bold, Face face) const;

  std::vector<Sized> regular_{};
  std::vector<Sized> bold_{};
  std::vector<Sized> roman_{}, bold_roman_{}, italic_{};  ///< symbols; none where STIX is missing
  ImFont* body_{};
  ImFont* small_{};
  ImFont* title_{};
  std::vector<std::shared_ptr<const std::string>>
      files_{};  ///< contents of fallback fonts, which the atlas reads
  std::shared_ptr<Characters> lacking_{std::make_shared<Characters>()};
};

/// The file that holds DejaVu Sans, found through fontconfig. Throws std::runtime_error naming the
/// package when there is none.
std::string dejavu_file(bool bold);

}  // namespace orrery
