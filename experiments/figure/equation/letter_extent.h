#pragma once

#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::figure {

// DejaVu Sans, in em.
inline constexpr double axis_height = 642.0 / 2048;  ///< height of minus signs and fraction bars
inline constexpr double tall_letter = 0.76;          ///< capitals, digits, b d f h k l

/// Height of the ink above and below the baseline, in em.
struct LetterExtent {
  double ascent{};
  double descent{};
};

/// Extent of a text in DejaVu Sans, from three classes of letters: low, tall, with a descender. A
/// Canvas measures only whole lines, which are taller than the letters on them.
LetterExtent letter_extent(std::string_view text);

}  // namespace orrery::figure
