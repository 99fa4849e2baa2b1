#include "core/kernels/roundings.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace orrery::kernels {

/// bf16 has the exponents of a float, so that the cut of a significand, with half of its last bit
/// added before, serves subnormals and overflow, too. A NaN that was cut might become an infinity.
void round_to_bf16(std::span<float> values) {
  constexpr int cut = 16;
  for (float& value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t half = (std::uint32_t{1} << (cut - 1)) - 1 + ((bits >> cut) & 1);
    const auto rounded = std::bit_cast<float>((bits + half) >> cut << cut);
    value = std::isnan(value) ? value : rounded;
  }
}

}  // namespace orrery::kernels
