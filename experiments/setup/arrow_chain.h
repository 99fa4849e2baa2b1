#pragma once

#include <complex>
#include <span>

#include "experiments/model/figure.h"
#include "experiments/model/layers.h"

namespace orrery::setup {

/// Lays arrows head to tail: the first from the origin to ends[0], each next one on to its own end,
/// and their sum. An arrow bears `numbers` at its place. Needs as many numbers as ends.
void lay_head_to_tail(VectorPlot& plot, std::span<const std::complex<double>> ends,
                      std::span<const double> numbers);

}  // namespace orrery::setup
