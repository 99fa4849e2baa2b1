#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/ui.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"

namespace orrery {

/// Whether a formula of marked text has the symbol as a whole: "$|S_j|$" has "S_j", and neither "S"
/// nor "j". Braces and commas of subscripts do not count: "a_{mn}" is "a_{m,n}".
bool has_symbol(std::string_view marked, std::string_view symbol);

/// The parts of a figure that a symbol names.
struct NamedParts {
  bool x_axis{};
  bool y_axis{};
  bool color_bar{};
  std::vector<std::string> series{};
  bool any() const { return x_axis || y_axis || color_bar || !series.empty(); }
};

/// Those whose labels have the symbol, and, where it is on the vertical axis of a single curve,
/// that curve. An axis of distances is named by r, too.
NamedParts parts_named(const Figure& figure, std::string_view symbol);

/// Tints axes and colour bar, and glows behind the curves that `view` shows and frames their names.
void light_parts(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                 const FigureView& view, const NamedParts& parts, const Ui& ui);

/// Which of the symbols name the part of the figure that the point lies on: an axis, the colour bar
/// or a name of the legend.
std::vector<std::string> symbols_at(const Figure& figure, const FigureLayout& layout, Point at,
                                    const std::vector<std::string>& symbols);

}  // namespace orrery
