#include "experiments/setup/common_axes.h"

namespace orrery::setup {

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

}  // namespace orrery::setup
