#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/identify/hypothesis_list.h"

namespace orrery {

/// A question, the hypotheses that were found so far, and what every part of the search does with
/// them: estimate ropes from a sample, and fit their bases. The question must outlive it.
class RopeSearch {
 public:
  using Change = std::function<void(WrittenRope&)>;

  explicit RopeSearch(const RotationQuestion& asked) : question(asked), list(asked) {}

  /// Estimates at these positions; `change` says in the rope where they are not the stated ones.
  void add_estimated(const RotationSample& sample, const AxisPositions& positions,
                     const Change& change = {});
  /// A base is known as well as the angles are: it is fitted to them, and then tried with as few
  /// digits as it may have. Keeps the best.
  void refine_bases();
  /// The rope with its base as it is and rounded to 1, 2, …, 8 digits.
  void add_with_fewer_digits(WrittenRope rope);
  /// What the right rope leaves where it is all that was computed; products in bf16 leave more.
  bool fits_well() const { return list.best().residual.rms() < 0.02 || list.fits_as_angles_do(); }
  /// Of the positions.
  std::size_t axes() const { return static_cast<std::size_t>(question.tensor.positions.cols()); }

  const RotationSample& sample() const { return list.sample(); }
  const std::vector<RopeHypothesis>& found() const { return list.found(); }

  const RotationQuestion& question;
  HypothesisList list;

 private:
  bool leaves_far_less(const WrittenRope& rope, const RopeHypothesis& known) const;
};

}  // namespace orrery
