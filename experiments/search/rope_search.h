#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "experiments/search/hypothesis_list.h"

namespace orrery {

/// A question, the hypotheses that were found so far, and what every part of the search does with
/// them: estimate ropes from a sample, and fit their bases. The question must outlive it.
class RopeSearch {
 public:
  using Change = std::function<void(WrittenRope&)>;

  explicit RopeSearch(const RotationQuestion& asked) : question(asked), list(asked) {}

  /// Adds estimates at these positions; `change` writes into a rope how they differ from the stated
  /// ones.
  void add_estimated(const RotationSample& sample, const AxisPositions& positions,
                     const Change& change = {});
  /// Fits the bases of the best ropes to the angles, tries each with fewer digits too, and keeps
  /// the best.
  void refine_bases();
  /// The rope with its base as it is and rounded to 1, 2, …, 8 digits.
  void add_with_fewer_digits(WrittenRope rope);
  /// Whether the best residual is as small as that of the right rope, if nothing else was computed;
  /// products in bf16 leave more.
  bool fits_well() const { return list.best().residual.rms() < 0.02 || list.fits_as_angles_do(); }
  /// The number of axes of the positions.
  std::size_t axes() const { return static_cast<std::size_t>(question.tensor.positions.cols()); }

  const RotationSample& sample() const { return list.sample(); }
  const std::vector<RopeHypothesis>& found() const { return list.found(); }

  const RotationQuestion& question;
  HypothesisList list;

 private:
  bool leaves_far_less(const WrittenRope& rope, const RopeHypothesis& known) const;
};

}  // namespace orrery
