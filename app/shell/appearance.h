#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/fonts.h"
#include "app/session/desktop_state.h"
#include "app/session/session.h"
#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// Fonts and colours for the look that the user chose, with other fonts for the characters that were
/// drawn without a glyph.
class Appearance {
 public:
  /// Replaces installed_fonts, for tests.
  void find_fonts_with(std::function<std::vector<InstalledFont>()> finder) {
    find_fonts_ = std::move(finder);
  }
  /// Loads fonts and colours where the look or the glyphs that are needed changed. Tells `shown`
  /// which packages to install for characters that no font has. Call before NewFrame. Returns whether
  /// the font atlas is new.
  bool update(const Session& live, Session& shown);
  /// Multiplies the scale of the look: the pixels that a screen has per point.
  void set_screen_scale(double scale) { screen_scale_ = scale; }

  /// Null before the first update().
  const Fonts* fonts() const { return fonts_ ? &*fonts_ : nullptr; }
  const FigureStyle& style() const { return style_; }
  double scale() const { return scale_; }

 private:
  double scale_for(const Look& look) const;
  bool find_glyphs(const Session& live, Session& shown);
  void report_missing(const Characters& missing_before, Session& shown);

  std::optional<Fonts> fonts_{};
  FigureStyle style_{};
  std::optional<Theme> theme_{};  ///< theme of style_
  double scale_{};                ///< scale of fonts_ and style_
  bool projector_{false};         ///< whether style_ is for projector mode
  double screen_scale_{1.0};
  std::function<std::vector<InstalledFont>()> find_fonts_{installed_fonts};
  std::set<std::string> named_packages_{};  ///< so that each is suggested once
  Characters searched_{};                   ///< looked for in other fonts
  GlyphPlan plan_{};                        ///< where they were found
};

/// How the window is divided. What is hidden or finds no room has width 0.
struct Regions {
  Rect list{};  ///< list of views at the left
  Rect view{};
  Rect params{};  ///< parameters at the right
  Rect bar{};  ///< at the bottom: the status and, without `params`, the controls that matter most
  bool with_controls{};  ///< whether `bar` has controls
};

/// The regions of a window of `size` pixels. The figure comes first: the columns are shown where
/// the window is so wide that it does not miss the room, or where the user asked for them; `saved`
/// results have what they were made of at the right. In a narrow window the list gives way first,
/// then the parameters.
Regions window_regions(Size size, const Look& look, double scale, bool saved);

/// The regions while a lesson is open: it takes the place of the list of views, over the whole
/// height. In a sandbox the parameters stand at the right. In projector mode the figure and what
/// stands below it are alone: the controls, or something else of the height `for_controls`.
Regions lesson_regions(Size size, const Look& look, double scale, bool sandbox,
                       std::optional<double> for_controls = {});

}  // namespace orrery
