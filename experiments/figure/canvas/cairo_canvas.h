#pragma once

#include <memory>
#include <string_view>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

enum class FigureFormat { svg, pdf, png };

/// "svg", "pdf", "png": the file's extension.
std::string_view extension(FigureFormat format);

/// Throws UsageError for an unknown format.
FigureFormat figure_format_named(std::string_view extension);

/// A canvas that produces a PDF or PNG file. The same drawing gives the same bytes, independent of
/// time and locale. Text is set in DejaVu Sans and symbols in STIX; fontconfig chooses a
/// substitute if a font is missing or lacks a character.
///
/// `size` in points; a PNG has `png_scale` pixels per point. Throws UsageError for a size or scale
/// that is not above 0 or that gives a PNG of more than 16384 pixels per side, IoError when Cairo
/// fails, at the end of the drawing too.
std::unique_ptr<FileCanvas> cairo_canvas(FigureFormat format, Size size, double png_scale = 2.0);

}  // namespace orrery
