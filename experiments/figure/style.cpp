#include "experiments/figure/style.h"

#include "experiments/figure/oklab.h"

namespace orrery {
namespace {

/// Ten hues far apart for normal, red-blind, green-blind and blue-blind eyes: neighbours in the
/// list differ in lightness as well as in hue, so that they stay apart in grey, too.
struct Slot {
  double lightness;  ///< on a light ground
  double chroma;
  double hue;
};
constexpr Slot slots[] = {
    {0.52, 0.145, 255.0},  // blue
    {0.68, 0.165, 55.0},   // orange
    {0.58, 0.115, 165.0},  // green
    {0.48, 0.170, 345.0},  // magenta
    {0.73, 0.115, 228.0},  // sky
    {0.45, 0.125, 35.0},   // rust
    {0.42, 0.155, 292.0},  // violet
    {0.74, 0.140, 92.0},   // ochre
    {0.70, 0.130, 0.0},    // rose
    {0.38, 0.070, 200.0},  // deep teal
};

/// On a dark ground the same hues, with the order of lightness kept within what is bright enough.
Color slot_color(const Slot& slot, bool dark) {
  const double lightness = dark ? 0.66 + (slot.lightness - 0.38) * 0.55 : slot.lightness;
  return to_color({lightness, slot.chroma, slot.hue});
}

std::vector<Color> palette(bool dark) {
  std::vector<Color> colors;
  for (const Slot& slot : slots) colors.push_back(slot_color(slot, dark));
  return colors;
}

Color grey(double lightness) { return to_color({lightness, 0.0, 0.0}); }
Color slate(double lightness) { return to_color({lightness, 0.011, 265.0}); }

FigureStyle dark_style() {
  FigureStyle style;
  style.background = slate(0.20);
  style.plot_background = slate(0.225);
  style.axis = slate(0.60);
  style.grid = slate(0.31);
  style.text = slate(0.95);
  style.muted = slate(0.76);
  style.accent = to_color({0.80, 0.16, 70.0});
  style.masked = slate(0.40);
  style.not_a_number = to_color({0.62, 0.24, 340.0});
  style.palette = palette(true);
  return style;
}

FigureStyle light_style() {
  FigureStyle style;
  style.background = to_color({0.985, 0.003, 265.0});
  style.plot_background = grey(1.0);
  style.axis = slate(0.52);
  style.grid = slate(0.925);
  style.text = slate(0.25);
  style.muted = slate(0.46);
  style.accent = to_color({0.62, 0.20, 38.0});
  style.masked = slate(0.84);
  style.not_a_number = to_color({0.60, 0.25, 350.0});
  style.palette = palette(false);
  return style;
}

FigureStyle print_style() {
  FigureStyle style = light_style();
  style.background = grey(1.0);
  style.axis = grey(0.35);
  style.grid = grey(0.92);
  style.text = grey(0.0);
  style.muted = grey(0.32);
  style.masked = grey(0.84);
  style.line_width = 1.6;
  return style;
}

FigureStyle base_style(Theme theme) {
  switch (theme) {
    case Theme::dark:
      return dark_style();
    case Theme::light:
      return light_style();
    case Theme::print:
      return print_style();
  }
  return light_style();
}

}  // namespace

FigureStyle figure_style(Theme theme, double scale) {
  FigureStyle style = base_style(theme);
  style.text_size *= scale;
  style.title_size *= scale;
  style.small_size *= scale;
  style.line_width *= scale;
  return style;
}

}  // namespace orrery
