#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "core/position.h"
#include "experiments/model/figure.h"

namespace orrery {

// The axes that several experiments share, made once each, so that what is pointed at in one
// figure can be found in another by its role; and what is laid over them.

Axis query_axis();     ///< "query m": indices of queries
Axis key_axis();       ///< "key n": indices of keys
Axis position_axis();  ///< "position m", in tokens
Axis channel_axis();   ///< "channel c"
/// "relative distance m − n", in tokens.
Axis distance_axis(AxisScale scale = AxisScale::linear);

/// The same axis in tokens, with cells from `first` to `last` instead of indices that count from 0.
Axis spanning(Axis axis, double first, double last);

/// 0, 1, … count − 1.
std::vector<double> count_from_0(std::size_t count);
std::vector<double> as_doubles(const Positions& positions);

/// Lines across a plot. `param` is the key of the parameter whose value the line shows, or empty.
Rule horizontal(double at, std::string label = "", std::string param = "");
Rule vertical(double at, std::string label, std::string param = "");

/// Lays arrows head to tail, from the origin to ends[0], from there to ends[1] and so on, and adds
/// their sum. numbers[i] is the value of arrow i; there are as many numbers as ends.
void lay_head_to_tail(VectorPlot& plot, std::span<const std::complex<double>> ends,
                      std::span<const double> numbers);

}  // namespace orrery
