#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas.h"

namespace orrery {

/// Colours, sizes and widths of a figure. One a theme: dark, light, print.
struct FigureStyle {
  Color background{};
  Color plot_background{};
  Color axis{};  ///< frame and ticks
  Color grid{};
  Color text{};
  Color muted{};   ///< captions, secondary text
  Color accent{};  ///< sums, cursors
  Color masked{};  ///< cells that are masked
  Color not_a_number{};
  std::vector<Color> palette{};  ///< categorical, colour-blind safe
  double text_size{13.0};
  double title_size{16.0};
  double small_size{11.0};
  double line_width{2.0};
};

enum class Theme { dark, light, print };

std::string_view theme_name(Theme theme);
/// Empty when there is none such.
std::optional<Theme> find_theme(std::string_view name);

/// The style of a theme; `scale` multiplies every size (projector, high-density screens).
FigureStyle figure_style(Theme theme, double scale = 1.0);

}  // namespace orrery
