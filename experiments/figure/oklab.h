#pragma once

#include "experiments/figure/canvas.h"

namespace orrery {

/// A colour in Björn Ottosson's OKLab, where equal distances look about equally different.
struct Oklab {
  double lightness{};  ///< 0 black … 1 white
  double a{};          ///< green … red
  double b{};          ///< blue … yellow
};

/// The same space in polar form.
struct Oklch {
  double lightness{};
  double chroma{};  ///< 0 grey
  double hue{};     ///< in degrees
};

/// sRGB bytes to OKLab; alpha is ignored.
Oklab to_oklab(Color color);
Oklab to_oklab(Oklch color);

/// To the nearest sRGB bytes. Chroma is reduced until the colour exists on a screen; lightness and
/// hue are kept.
Color to_color(Oklch color);

/// How far a colour at this lightness and hue can be from grey and still exist on a screen.
double largest_chroma(double lightness, double hue);

/// `weight` of `over` upon `under`, opaque.
Color mix(Color under, Color over, double weight);
Color with_alpha(Color color, double alpha);
/// Whether light ink is needed to be read on this colour.
bool is_dark(Color background);
/// The contrast of WCAG 2.1, (L1 + 0.05) / (L2 + 0.05) of the relative luminances: 1 … 21.
double contrast(Color a, Color b);

}  // namespace orrery
