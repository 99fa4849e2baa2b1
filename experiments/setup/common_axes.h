#pragma once

#include "experiments/model/figure.h"

namespace orrery::setup {

// The axes that several experiments share, made once each, so that what is pointed at in one
// figure can be found in another by its role.

Axis query_axis();     ///< "query m": indices of queries
Axis key_axis();       ///< "key n": indices of keys
Axis position_axis();  ///< "position m", in tokens
Axis channel_axis();   ///< "channel c"
/// "relative distance m − n", in tokens.
Axis distance_axis(AxisScale scale = AxisScale::linear);

/// The same axis in tokens, with cells from `first` to `last` instead of indices that count from 0.
Axis spanning(Axis axis, double first, double last);

}  // namespace orrery::setup
