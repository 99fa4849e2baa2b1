#pragma once

#include "experiments/figure/color/oklab.h"
#include "experiments/figure/color/style.h"

namespace orrery {

/// Dear ImGui's colours and spacing for a theme, derived from the figures' own style, so that panel
/// and plot are of one piece. `scale` multiplies every length (fonts are loaded apart).
void apply_theme(const FigureStyle& style, double scale);

/// The style of the figures on screen: the theme's, with its secondary text strong enough to be
/// read from the back row on every ground of the window (a contrast of 7, WCAG 2.1).
FigureStyle desktop_style(Theme theme, double scale);
/// The ground of columns and sheets.
Color raised_color(const FigureStyle& style);
/// The accent where it is read and not only seen.
Color accent_text_color(const FigureStyle& style);

/// Green and red of claims that hold and that do not, readable on the style's background.
Color holds_color(const FigureStyle& style);
Color fails_color(const FigureStyle& style);

}  // namespace orrery
