#pragma once

#include <string>
#include <vector>

#include "experiments/studies/relative_invariance/curves.h"

namespace orrery {

// What the shifts found, in words.

/// "fp32" for eager_fp32, "fp32 with exact angles" for exact_fp32.
std::string pipeline_words(const Pipeline& pipeline);

/// Curves that are drawn as one, as they differ by less than a line is wide.
struct ShiftGroup {
  std::vector<const ShiftCurve*> curves{};
  std::string words{};  ///< "ALiBi and T5 in each: no change"
};

/// Groups by the largest change at each shift, in the order of their first curves.
std::vector<ShiftGroup> groups_of(const std::vector<ShiftCurve>& curves);

/// Which encodings are relative, to how many roundings of each format, and how far others move.
std::string invariance_title(const std::vector<ShiftCurve>& curves);

}  // namespace orrery
