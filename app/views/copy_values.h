#pragma once

#include <cstddef>
#include <string>

#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"

namespace orrery {

/// The largest count that is copied; more belong into a file.
inline constexpr std::size_t max_copied = 1'000'000;

/// The number of values in values_text.
std::size_t value_count(const Figure& figure, const FigureView& view, const FigureLayout& frame);

/// The visible numbers as tab-separated lines that a spreadsheet can paste: the visible
/// curves (x once where they share it), the visible cells of a map, the arrows, the table. Every
/// digit is kept; a masked cell is empty, and NaN is written out.
std::string values_text(const Figure& figure, const FigureView& view, const FigureLayout& frame);

}  // namespace orrery
