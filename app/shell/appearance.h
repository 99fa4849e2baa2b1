#pragma once

#include <optional>

#include "app/gui/fonts.h"
#include "app/session/desktop_state.h"

namespace orrery {

/// Fonts and colours for the look that the user chose.
class Appearance {
 public:
  /// Loads fonts and colours where `look` or the glyphs changed. Call before NewFrame. Returns
  /// whether the font atlas is new.
  bool update(const Look& look, const GlyphPlan& glyphs, bool glyphs_are_new);
  /// Multiplies the scale of the look: the pixels that a screen has per point.
  void set_screen_scale(double scale) { screen_scale_ = scale; }

  /// Null before the first update().
  const Fonts* fonts() const { return fonts_ ? &*fonts_ : nullptr; }
  const FigureStyle& style() const { return style_; }
  double scale() const { return scale_; }

 private:
  double scale_for(const Look& look) const;

  std::optional<Fonts> fonts_{};
  FigureStyle style_{};
  std::optional<Theme> theme_{};  ///< theme of style_
  double scale_{};                ///< scale of fonts_ and style_
  bool projector_{false};         ///< whether style_ is for projector mode
  double screen_scale_{1.0};
};

}  // namespace orrery
