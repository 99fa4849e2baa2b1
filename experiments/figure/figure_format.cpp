#include "experiments/figure/figure_format.h"

#include "core/errors.h"

namespace orrery {

std::string_view extension(FigureFormat format) {
  switch (format) {
    case FigureFormat::svg:
      return "svg";
    case FigureFormat::pdf:
      return "pdf";
    case FigureFormat::png:
      return "png";
  }
  return "";
}

FigureFormat figure_format_named(std::string_view name) {
  for (const FigureFormat format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png})
    if (extension(format) == name) return format;
  throw UsageError(name, "is not a figure format", "take svg, pdf or png");
}

}  // namespace orrery
