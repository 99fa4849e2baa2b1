#include "app/shell/appearance.h"

#include "app/gui/theme.h"

namespace orrery {
namespace {

// Projector mode: text that can be read from the back row, and lines to match.
constexpr double projector_scale = 1.5, projector_line_width = 1.4;

}  // namespace

double Appearance::scale_for(const Look& look) const {
  return look.scale * screen_scale_ * (look.projector ? projector_scale : 1.0);
}

bool Appearance::update(const Look& look, const GlyphPlan& glyphs, bool glyphs_are_new) {
  const double scale = scale_for(look);
  const bool new_fonts = !fonts_ || scale != scale_ || glyphs_are_new;
  if (new_fonts) fonts_ = Fonts::load(scale, glyphs);
  if (!new_fonts && theme_ == look.theme && projector_ == look.projector) return false;
  projector_ = look.projector;
  style_ = desktop_style(look.theme, scale);
  if (projector_) style_.line_width *= projector_line_width;
  apply_theme(style_, scale);
  theme_ = look.theme;
  scale_ = scale;
  return new_fonts;
}

}  // namespace orrery
