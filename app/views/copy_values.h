#pragma once

#include <cstddef>
#include <string>

#include "experiments/figure/layout.h"

namespace orrery {

/// More numbers than this are a file, not a clipboard.
inline constexpr std::size_t kMostCopied = 1'000'000;

/// How many numbers values_text would hold.
std::size_t value_count(const Figure& figure, const FigureView& view, const FigureFrame& frame);

/// The numbers that show, as lines of tab-separated columns which a spreadsheet takes: the visible
/// curves (x once where they share it), the visible cells of a map, the arrows, the table. Every
/// digit is there; a masked cell is empty and a NaN says so.
std::string values_text(const Figure& figure, const FigureView& view, const FigureFrame& frame);

}  // namespace orrery
