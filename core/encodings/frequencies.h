#pragma once

#include <vector>

#include "core/precision.h"
#include "core/types.h"

namespace orrery {

/// theta_t = base^(-2t/d), t = 0 … d/2 − 1, in rad per token; theta_0 = 1 is the fastest.
/// Throws UsageError unless d is even and positive and base is finite and > 1.
/// Source: RoFormer eq. (15), where i counts from 1; sinusoidal eq. (4) has the same frequencies.
std::vector<double> inverse_frequencies(Index d, double base);

/// The same as PyTorch code computes them, 1/base^(2t/d), each step rounded to fp32 and the result
/// to the format; fp64 is the exact formula above. At d = 64 and 128, bases 10000 and 500000, fp32
/// equals Transformers' inv_freq bit for bit (tests/golden/generate_pipelines.py).
std::vector<double> inverse_frequencies(Index d, double base, Precision format);

struct CosSin {
  double cos;
  double sin;
};

/// cos and sin of position·theta to 4·2^-53, at every |position| ≤ 2^53 and |theta| ≤ 1, for the
/// double theta that is given. The product is formed exactly, as a sum of two doubles, so that
/// m·theta − n·theta equals (m − n)·theta even where the product itself no longer fits in 53 bits.
/// Where theta represents the irrational base^(-2t/d), the double misses that by up to
/// theta·2^-53, and the angle by |position| times as much: 0.42 rad at 2^53 for d = 128, base
/// 10000.
CosSin rotation_at(Position position, double theta);

}  // namespace orrery
