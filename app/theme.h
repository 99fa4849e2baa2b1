#pragma once

#include "experiments/figure/oklab.h"
#include "experiments/figure/style.h"

namespace orrery {

/// Dear ImGui's colours and spacing for a theme, derived from the figures' own style, so that panel
/// and plot are of one piece. `scale` multiplies every length (fonts are loaded apart).
void apply_theme(const FigureStyle& style, double scale);

/// Green and red of claims that hold and that do not, readable on the style's background.
Color holds_color(const FigureStyle& style);
Color fails_color(const FigureStyle& style);

}  // namespace orrery
