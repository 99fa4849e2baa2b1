#pragma once

#include <imgui.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/fallback_glyphs.h"
#include "experiments/figure/canvas/canvas.h"

namespace orrery {

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
