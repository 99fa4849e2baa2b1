#include "experiments/figure/canvas/figure_format.h"

#include "experiments/text/enum_names.h"

namespace orrery {
namespace {

const EnumNames<FigureFormat> format_names{
    {FigureFormat::svg, "svg"}, {FigureFormat::pdf, "pdf"}, {FigureFormat::png, "png"}};

}  // namespace

std::string_view extension(FigureFormat format) { return name_in(format_names, format); }

FigureFormat figure_format_named(std::string_view name) {
  return value_named(format_names, name, "a figure format");
}

}  // namespace orrery
