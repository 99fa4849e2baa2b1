#pragma once

#include "experiments/identify/rotation_sample.h"
#include "experiments/identify/written_rope.h"

namespace orrery {

/// The input that would tell two ropes apart.
struct TellingInput {
  bool exists{false};    ///< false: both compute the same at every position up to 4·10^6
  Position position{0};  ///< the first probe at which they differ by more than rounding
  bool content_hides{};  ///< at that position the tensor has rows: other vectors would tell
  double difference{0};  ///< there, of random vectors, in units of rounding
};
TellingInput telling_input(const WrittenRope& a, const WrittenRope& b, const RotatedTensor& tensor);

}  // namespace orrery
