#include "experiments/setup/common_axes.h"

#include <cstddef>
#include <numeric>
#include <utility>

namespace orrery {

Axis query_axis() { return {.label = "query", .symbol = "$m$", .role = AxisRole::query_position}; }

Axis key_axis() { return {.label = "key", .symbol = "$n$", .role = AxisRole::key_position}; }

Axis position_axis() {
  return {.label = "position", .symbol = "$m$", .unit = "tokens", .role = AxisRole::position};
}

Axis channel_axis() { return {.label = "channel", .symbol = "$c$", .role = AxisRole::channel}; }

Axis distance_axis(AxisScale scale) {
  return {.label = "relative distance",
          .symbol = "$m − n$",
          .unit = "tokens",
          .scale = scale,
          .role = AxisRole::relative_distance};
}

Axis spanning(Axis axis, double first, double last) {
  axis.unit = "tokens";
  axis.range = Range{first, last};
  return axis;
}

std::vector<double> count_from_0(std::size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return numbers;
}

std::vector<double> as_doubles(const Positions& positions) {
  return {positions.begin(), positions.end()};
}

Rule horizontal(double at, std::string label, std::string param) {
  return {Rule::Direction::horizontal, at, std::move(label), std::move(param)};
}

Rule vertical(double at, std::string label, std::string param) {
  return {Rule::Direction::vertical, at, std::move(label), std::move(param)};
}

void lay_head_to_tail(VectorPlot& plot, std::span<const std::complex<double>> ends,
                      std::span<const double> numbers) {
  std::complex<double> from = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    plot.arrows.push_back({from.real(), from.imag(), ends[i].real(), ends[i].imag(), numbers[i]});
    from = ends[i];
  }
  plot.sum = Arrow{0, 0, from.real(), from.imag(), 0};
}

}  // namespace orrery
