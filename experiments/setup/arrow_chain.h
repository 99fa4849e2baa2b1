#pragma once

#include <complex>
#include <span>

#include "experiments/model/figure.h"
#include "experiments/model/layers.h"

namespace orrery::setup {

/// Lays arrows head to tail, from the origin to ends[0], from there to ends[1] and so on, and adds
/// their sum. numbers[i] is the value of arrow i; there are as many numbers as ends.
void lay_head_to_tail(VectorPlot& plot, std::span<const std::complex<double>> ends,
                      std::span<const double> numbers);

}  // namespace orrery::setup
