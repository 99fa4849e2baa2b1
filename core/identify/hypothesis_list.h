#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/identify/deviations.h"
#include "core/identify/rope_hypothesis.h"
#include "core/identify/rotation_sample.h"

namespace orrery {

/// The stages as PyTorch programs have them: frequencies, angles, cosines in fp32.
StageRounding fp32_stages();

/// The hypotheses of a search: each once, ranked by what they leave of a sample, and at last of the
/// whole tensor.
class HypothesisList {
 public:
  /// The question must outlive the list.
  explicit HypothesisList(const RotationQuestion& question);

  /// Adds a rope that has frequencies at all; one that computes the same as another is that one.
  void add(WrittenRope rope, std::string defect = {}, bool is_expected = false);
  /// Measures what is new on the sample and keeps the best, ties by cost, and what is expected
  /// however badly it fits: the answer says by how much.
  void keep(std::size_t most, const RotationSample& sample);
  /// Ropes at the stated positions that leave the least of another sample, ties by cost.
  std::vector<WrittenRope> leading(const RotationSample& sample, std::size_t most) const;
  /// The best measured on the whole tensor, with the names of known defects.
  RotationAnswer ranked();

  const std::vector<RopeHypothesis>& found() const { return found_; }
  const RopeHypothesis& best() const { return found_.front(); }
  /// Whether the best leaves no more than rounding; otherwise other explanations are looked for.
  bool fits() const;
  /// Whether the best leaves more than rounding of the tensor, and no more than angles of fp32
  /// leave whose frequencies another library rounded: a base of more digits would make up for that
  /// alone.
  bool fits_as_angles_do() const;
  const RotationSample& sample() const { return sample_; }
  const RotationSample& small() const { return small_; }  ///< a few rows of it
  /// The largest position: fp32 angles are off by a part in 10^7 of it.
  Position reach() const;

 private:
  double angle_rounding() const;
  bool rounds_no_position(const WrittenRope& rope) const;
  double total_cost(const WrittenRope& rope, const std::string& defect, bool is_expected) const;
  void measure(std::vector<RopeHypothesis>& hypotheses, const RotationSample& sample) const;
  void screen();
  void order_robustly();
  void order();
  WrittenRope without_fine_stages(WrittenRope rope) const;
  void name_defect(RopeHypothesis& hypothesis) const;
  void measured_whole(std::size_t measured);

  const RotationQuestion& question_;
  RotationSample sample_;
  RotationSample small_;
  std::vector<RopeHypothesis> found_{};
  const RotationSample* measured_{nullptr};
};

}  // namespace orrery
