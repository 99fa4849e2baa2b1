#pragma once

#include <vector>

#include "core/precision.h"
#include "core/types.h"

namespace orrery {

/// theta_t = base^(-2t/d), t = 0 … d/2 − 1, in rad per token; theta_0 = 1 is the fastest.
/// Throws UsageError unless d is even and positive and base is finite and > 1.
/// Source: RoFormer eq. (15), where i counts from 1; sinusoidal eq. (4) has the same frequencies.
std::vector<double> inverse_frequencies(Index d, double base);

/// inverse_frequencies as PyTorch code computes them: 1/base^(2t/d), each step rounded to fp32
/// once and the result to the format; fp64 is the exact formula above.
///
/// PyTorch's own power is the C library's or a vectorised one, depending on the CPU, so that its
/// inv_freq differs between machines.
/// Accuracy: of ten widths from 32 to 256 and six bases from 10^4 to 10^7
/// (tests/golden/generate_inv_freq.py), fp32 equals PyTorch's
///   with the C library's powf: bit by bit in all 60 tables but two (d = 160 at 25000, 112 at
///     10^6);
///   with AVX2 or AVX-512: for d = 32, 64, 80, 128, 160 at 10000; 32, 48, 64, 80, 128, 160, 256 at
///     500000; 32, 48, 64, 80, 96, 192 at 10^6; 32, 48, 64, 96, 128, 192, 256 at 10^7; 48, 112 at
///     150000; 32, 48, 80, 96 at 25000.
///
/// Elsewhere up to 5 pairs differ by 1 unit in the last place, and by 2 at d = 112, base 500000,
/// and at base 25000. An angle at position 131072 then differs by up to 2^-7 = 0.008 rad.
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

/// rotation_at with the roundings of a low-precision implementation: of the position, of the angle
/// position·theta, and of cos and sin. theta comes in the format of Stage::inv_freq. An angle in
/// fp64 is exact, and its cos and sin are rounded once; one in fp32 or narrower is the product
/// rounded to fp32, and its cos and sin are rounded to fp32 before their own format, as where they
/// are computed in fp32 and cast. Cosines and sines of fp32 angles are the nearest fp32 numbers; a
/// library's may be their neighbours (tests/golden/pipelines.json states how often PyTorch's are).
/// Both are multiplied by `amplitude` before they are rounded to their format.
CosSin rounded_rotation(Position position, double theta, const StageRounding& rounding,
                        double amplitude = 1.0);

/// Whether rounded_rotation rounds at all: position, angle, cosine or sine.
bool rounds_rotation(const StageRounding& rounding);

}  // namespace orrery
