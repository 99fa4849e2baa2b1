#include "experiments/search/rope_search.h"

#include <algorithm>
#include <cmath>

#include "experiments/search/estimated_ropes.h"
#include "experiments/search/known_numbers.h"
#include "experiments/search/refined_base.h"

namespace orrery {

void RopeSearch::add_estimated(const RotationSample& sample, const AxisPositions& positions,
                               const Change& change) {
  for (WrittenRope& rope : estimated_ropes(sample, positions)) {
    if (change) change(rope);
    list.add(rope);
  }
}

void RopeSearch::refine_bases() {
  const std::size_t count = std::min<std::size_t>(found().size(), 3);
  for (std::size_t i = 0; i < count; ++i) {
    WrittenRope rope = found()[i].rope;
    const bool is_known_base = is_known(known_bases(), rope.base);
    if (fits_well() && is_known_base) continue;
    rope.base = refined_base(rope, sample(), list.small());
    if (is_known_base && !leaves_far_less(rope, found()[i])) continue;
    add_with_fewer_digits(rope);
  }
  list.keep(kept::with_estimates, sample());
}

/// A base that is fitted always leaves a little less than a known one: that alone says nothing
/// against a known base where products are rounded, too.
bool RopeSearch::leaves_far_less(const WrittenRope& rope, const RopeHypothesis& known) const {
  return residual_of(rope, sample()).sum_of_squares < 0.5 * known.residual.sum_of_squares;
}

void RopeSearch::add_with_fewer_digits(WrittenRope rope) {
  list.add(rope);
  const double base = rope.base;
  for (const int digits : {1, 2, 3, 4, 5, 6, 7, 8}) {
    rope.base = rounded_to_digits(base, digits);
    if (rope.base > 1) list.add(rope);
  }
}

}  // namespace orrery
