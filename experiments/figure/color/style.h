#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/model/figure.h"
#include "experiments/text/enum_names.h"

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

/// Background of a map. Low and neutral values have colours near it, so that large values stand
/// out.
enum class Background { light, dark };

/// 256 colours along a path through OKLCh.
struct Colormap {
  std::array<Color, 256> colors{};
  bool cyclic{false};

  /// Colour at a fraction of the range; clamped to [0, 1], or wrapped when cyclic. Where a fraction
  /// has no place, NaN, or infinite when cyclic, the first one: who draws has a colour for it.
  Color at(double fraction) const { return colors[index(fraction)]; }
  std::size_t index(double fraction) const;
};

/// The colour map for a meaning of values. Sequential: lightness falls (light background) or rises
/// (dark background) in equal steps from indigo over teal to yellow. Diverging: blue for negative,
/// orange for positive, equal lightness at equal distance from a neutral middle. Cyclic: all hues
/// at one lightness.
const Colormap& colormap(Meaning meaning, Background background);

/// The sequential map without the colours that are too near the background for thin strokes.
const Colormap& stroke_colormap(Background background);

/// The map as a column of pixels with the highest value at the top. Every call returns the same
/// image, so that a canvas creates only one texture.
std::shared_ptr<const Image> colormap_image(const Colormap& map);

/// Colours, sizes and widths of a figure; one per theme: dark, light, print.
struct FigureStyle {
  Color background{};
  Color plot_background{};
  Color axis{};  ///< frame and ticks
  Color grid{};
  Color text{};
  Color muted{};   ///< captions, secondary text
  Color ghost{};   ///< curves of other results, behind the others
  Color accent{};  ///< sums, cursors
  Color masked{};  ///< masked cells
  Color not_a_number{};
  std::vector<Color> palette{};  ///< categorical, colour-blind safe
  double text_size{13.0};
  double title_size{16.0};
  double small_size{11.0};
  double line_width{2.0};
  double margin{0.9};          ///< around title, plot and caption, in text sizes
  bool small_keys{false};      ///< colours are explained below a map instead of beside it
  bool names_at_lines{false};  ///< curves are named at their ends where that fits, without a legend
  bool whole_title{false};     ///< in as many lines as it takes
  double inset_left{0.0};      ///< kept free beside the content, though not beside its title, by
  double inset_right{0.0};     ///< which figures below each other have axes of one width; pixels
  double widest_map{1.0};      ///< a square map may be so many times as wide as it is high
  double largest_table{1.0};   ///< a table with room to spare may be so many times as large
};

enum class Theme { dark, light, print };

/// "dark", "light", "print".
const EnumNames<Theme>& theme_names();
inline std::string_view theme_name(Theme theme) { return name_in(theme_names(), theme); }
/// Throws UsageError when no theme has this name.
Theme theme_named(std::string_view name);

/// The style of a theme; `scale` multiplies every size (projector, high-density screens).
FigureStyle figure_style(Theme theme, double scale = 1.0);

}  // namespace orrery
