#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/search/deviations.h"
#include "experiments/search/rope_hypothesis.h"
#include "experiments/search/rotation_sample.h"

namespace orrery {

/// The stages as PyTorch programs have them: frequencies, angles, cosines in fp32.
StageRounding fp32_stages();

/// How many hypotheses HypothesisList::keep leaves after a step of the search. No step starts from
/// more than six of them; the others are a margin for ropes that fit the sample by chance. The
/// sizes were chosen by hand; the search finds the drawn tensors of the tests with them.
namespace kept {
inline constexpr std::size_t on_few_rows = 24;  ///< a few rows rank loosely
inline constexpr std::size_t at_first = 8;      ///< of those, measured on the whole sample
inline constexpr std::size_t with_exact_stages = at_first + 2;  ///< two of them in fp64
inline constexpr std::size_t with_places = 12;     ///< other positions or wirings of few ropes
inline constexpr std::size_t with_estimates = 16;  ///< ropes that were estimated or fitted
inline constexpr std::size_t with_variants = 24;   ///< defects and relatives, many per rope
inline constexpr std::size_t for_answer = 40;      ///< neighbours that the answer lists
}  // namespace kept

/// The hypotheses of a search: each once, ranked by their residuals of a sample, and at last of the
/// whole tensor.
class HypothesisList {
 public:
  /// The question must outlive the list.
  explicit HypothesisList(const RotationQuestion& question);

  /// Adds a rope that has frequencies. Of two that compute the same, the more usual one stays.
  void add(WrittenRope rope, std::string defect = {}, bool is_expected = false);
  /// Measures new ropes on the sample and keeps the best, ties by cost. The expected rope stays
  /// however badly it fits: the answer reports how badly.
  void keep(std::size_t most, const RotationSample& sample);
  /// Ropes at the stated positions that leave the least of another sample, ties by cost.
  std::vector<WrittenRope> leading(const RotationSample& sample, std::size_t most) const;
  /// The best measured on the whole tensor, with the names of known defects.
  RotationAnswer ranked();

  const std::vector<RopeHypothesis>& found() const { return found_; }
  const RopeHypothesis& best() const { return found_.front(); }
  /// Whether the best leaves no more than rounding; otherwise the search goes on.
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
