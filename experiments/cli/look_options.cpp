#include "experiments/cli/look_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/errors.h"
#include "experiments/text/model_names.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

std::optional<Range> range_in(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto low = number_in(std::string_view(text).substr(0, colon));
  const auto high = number_in(std::string_view(text).substr(std::min(colon + 1, text.size())));
  if (!low || !high || !(*low < *high))
    throw UsageError(fmt::format("{} {}", option, text), "is not a smaller and a larger number",
                     fmt::format("write {} 0:128", option));
  return Range{*low, *high};
}

std::optional<AxisScale> scale_in(const std::string& name) {
  for (const auto& [scale, known] : axis_scale_names())
    if (known == name) return scale;
  return std::nullopt;
}

}  // namespace

std::vector<Option> look_options(LookOptions& options) {
  const Rules scales = one_of({"linear", "log2", "log10", "symlog"});
  return {{"--x-range", &options.x_range, "Show only this part of the x axis: 0:128"},
          {"--y-range", &options.y_range, "Show only this part of the y axis"},
          {"--x-scale", &options.x_scale, "linear, log2, log10 or symlog", scales},
          {"--y-scale", &options.y_scale, "linear, log2, log10 or symlog", scales},
          {"--colors", &options.colors,
           "Spread a map's numbers over its colours: linear, log or quantile",
           one_of({"linear", "log", "quantile"})}};
}

FigureView view_of(const LookOptions& options) {
  return {.x = range_in("--x-range", options.x_range),
          .y = range_in("--y-range", options.y_range),
          .x_scale = scale_in(options.x_scale),
          .y_scale = scale_in(options.y_scale)};
}

Figure recolored(Figure figure, const LookOptions& options) {
  auto* map = std::get_if<Heatmap>(&figure.content);
  if (!map || options.colors.empty()) return figure;
  map->colors = options.colors == "log"        ? ColorScaling::log
                : options.colors == "quantile" ? ColorScaling::quantile
                                               : ColorScaling::linear;
  return figure;
}

}  // namespace orrery
