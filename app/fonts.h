#pragma once

#include <imgui.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/glyphs.h"

namespace orrery {

/// The type on screen: DejaVu Sans at the few sizes that the interface and the figures use, at one
/// scale. Owned by the atlas of the Dear ImGui context it was loaded into.
class Fonts {
 public:
  /// Loads into the atlas of the current context, replacing what was there. `scale` multiplies
  /// every size; above kFinest the letters of that are enlarged, since no graphics card holds finer
  /// ones. `foreign` is what other fonts lend it. Throws std::runtime_error naming the
  /// package when DejaVu Sans is not installed.
  static Fonts load(double scale, const GlyphPlan& foreign = {});

  static constexpr double kFinest = 3.0;

  struct Sized {
    double em{};  ///< pixels
    ImFont* font{};
  };
  /// The loaded font whose em is nearest to `em` pixels; bold where a bold one is loaded.
  Sized nearest(double em, bool bold) const;

  /// Remembers the characters of a text that are not loaded.
  void note_lacking(std::string_view utf8) const;
  /// What has been noted since loading.
  const Characters& lacking() const { return *lacking_; }

  ImFont* body() const { return body_; }
  ImFont* small() const { return small_; }
  ImFont* title() const { return title_; }

  /// Pixels from ascender to descender for an em: what Dear ImGui calls a font's size.
  static double line_height(double em);

 private:
  std::vector<Sized> regular_{};
  std::vector<Sized> bold_{};
  ImFont* body_{};
  ImFont* small_{};
  ImFont* title_{};
  std::vector<std::shared_ptr<const std::string>>
      files_{};  ///< of foreign fonts; the atlas reads them
  std::shared_ptr<Characters> lacking_{std::make_shared<Characters>()};
};

/// The file that holds DejaVu Sans, found through fontconfig. Throws std::runtime_error naming the
/// package when there is none.
std::string dejavu_file(bool bold);

}  // namespace orrery
