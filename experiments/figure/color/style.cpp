#include "experiments/figure/color/style.h"

#include "experiments/figure/color/oklab.h"

namespace orrery {
namespace {

/// One of ten colours found by a search that maximises the smallest distance between two of them in
/// OKLab, for normal, red-blind and green-blind vision on both backgrounds, with most weight on the
/// first five. The test checks the distances.
struct Slot {
  double lightness;  ///< on a light background
  double chroma;
  double hue;
};
constexpr Slot slots[] = {
    {0.564, 0.153, 260.4},  // blue
    {0.610, 0.178, 53.2},   // orange
    {0.597, 0.138, 170.9},  // green
    {0.456, 0.140, 335.5},  // magenta
    {0.704, 0.140, 217.8},  // sky
    {0.393, 0.136, 37.9},   // rust
    {0.444, 0.180, 279.7},  // violet
    {0.745, 0.146, 94.7},   // ochre
    {0.684, 0.137, 352.8},  // rose
    {0.380, 0.040, 188.0},  // slate
};

/// On a dark background the hues stay, and lightness keeps its order in a range that is bright
/// enough.
Color slot_color(const Slot& slot, bool dark) {
  const double lightness = dark ? 0.58 + (slot.lightness - 0.38) * 0.82 : slot.lightness;
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
  style.ghost = slate(0.58);
  style.accent = to_color({0.80, 0.16, 70.0});
  style.masked = slate(0.165);
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
  style.ghost = slate(0.62);
  style.accent = to_color({0.62, 0.20, 38.0});
  style.masked = slate(0.87);
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
  style.ghost = grey(0.60);
  style.masked = grey(0.87);
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

const EnumNames<Theme>& theme_names() {
  static const EnumNames<Theme> names{
      {Theme::dark, "dark"}, {Theme::light, "light"}, {Theme::print, "print"}};
  return names;
}

Theme theme_named(std::string_view name) { return value_named(theme_names(), name, "a theme"); }

}  // namespace orrery
