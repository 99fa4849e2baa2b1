#pragma once

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// A colour in Björn Ottosson's OKLab, a space in which equal distances look about equally
/// different.
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

/// OKLCh to the nearest sRGB bytes. Chroma is reduced until sRGB contains the colour; lightness and
/// hue are kept.
Color to_color(Oklch color);

/// Largest chroma at this lightness and hue that sRGB contains.
double largest_chroma(double lightness, double hue);

/// Blends `over` onto `under` with this weight; the result is opaque.
Color mix(Color under, Color over, double weight);
Color with_alpha(Color color, double alpha);
/// Whether text on this colour must be light to be readable.
bool is_dark(Color background);
/// Contrast ratio of WCAG 2.1, (L1 + 0.05) / (L2 + 0.05) for relative luminances: 1 … 21.
double contrast(Color a, Color b);

}  // namespace orrery
