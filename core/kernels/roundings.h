#pragma once

#include <span>

namespace orrery::kernels {

/// Each number rounded to the nearest of bf16, ties to even; a NaN stays.
void round_to_bf16(std::span<float> values);

}  // namespace orrery::kernels
