#pragma once

#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/text/enum_names.h"

namespace orrery {

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
