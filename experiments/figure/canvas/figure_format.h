#pragma once

#include <string_view>

namespace orrery {

enum class FigureFormat { svg, pdf, png };

/// "svg", "pdf", "png": the file's extension.
std::string_view extension(FigureFormat format);

/// Throws UsageError for an unknown format.
FigureFormat figure_format_named(std::string_view extension);

}  // namespace orrery
