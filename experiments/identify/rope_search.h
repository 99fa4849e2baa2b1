#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/identify/rope_cost.h"
#include "experiments/identify/rotation_sample.h"
#include "experiments/identify/structures.h"
#include "experiments/identify/written_rope.h"

namespace orrery {

/// A rope that may have made a tensor.
struct RopeHypothesis {
  WrittenRope rope{};
  std::string
      defect{};  ///< by which it differs from the expected rope; empty: by none that is known
  bool is_expected{false};
  double cost{};         ///< how unusual it is: by it ties are ordered
  Residual residual{};   ///< over the whole tensor
  double evidence{};     ///< by how much worse it fits than the best, in squared standard errors
  bool tied{false};      ///< this tensor cannot tell it from the first
  double fingerprint{};  ///< ropes that compute the same have the same one
};

struct RotationQuestion {
  RotatedTensor tensor;
  std::optional<WrittenRope> expected{};  ///< its defects are tried first
  std::vector<WrittenRope> as_right{};    ///< ropes that are expected as well as that one
  bool any_length{};  ///< the expected rope may be that of a sequence longer than its rows
  std::vector<WrittenRope> likely{};  ///< tried before the tensor is searched
  bool assumed{};                     ///< nobody stated positions: rows may lie anywhere
  /// Sets what is expected of the tensor at its positions, which change; empty: as it is.
  std::function<void(RotationQuestion&)> expect{};
  std::size_t most{8};  ///< hypotheses that are returned, ties beyond it included
  int threads{1};       ///< any number: the same answer
};

struct RotationAnswer {
  std::vector<RopeHypothesis>
      hypotheses{};       ///< best first; ties lead, the most usual before others
  bool explained{false};  ///< whether the first fits to within rounding
  AxisPositions
      positions{};  ///< at which ropes turn rows: the stated ones, or those that rows show
  /// Whether only fp32 angles explain it: more than 4 roundings, less than 1e-7 per position.
  bool explained_by_angles{false};

  const RopeHypothesis& best() const { return hypotheses.front(); }
};

/// Root mean square residual, in units of rounding, above which a rope does not explain a tensor.
/// A program rounds a number five times, none by more than half a unit in the last place, which is
/// 0.42 units on average: two entries of its table, two products and their sum, together √5·0.42.
inline constexpr double explained_roundings = 1.0;

/// Differences of squared residuals, in units of the better one's variance, below which two
/// hypotheses are tied.
inline constexpr double evidence_to_decide = 25.0;

/// Sets evidence and ties, and sorts: what is tied with the least residual by cost, then the others
/// by their residuals.
/// @param least_variance  of what fits to the bit
template <class Hypothesis>
void order_by_evidence(std::vector<Hypothesis>& found, double least_variance) {
  const auto least = std::min_element(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.residual.sum_of_squares < b.residual.sum_of_squares;
  });
  const Residual best = least->residual;
  const double variance =
      std::max<double>(best.sum_of_squares / std::max<double>(best.count, 1), least_variance);
  for (Hypothesis& hypothesis : found) {
    hypothesis.evidence = (hypothesis.residual.sum_of_squares - best.sum_of_squares) / variance;
    hypothesis.tied = hypothesis.evidence < evidence_to_decide;
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    if (a.tied != b.tied) return a.tied;
    return a.tied ? a.cost < b.cost : a.residual.sum_of_squares < b.residual.sum_of_squares;
  });
}

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
inline constexpr std::size_t with_variants = 24;   ///< defects, many per rope
inline constexpr std::size_t for_answer = 40;      ///< neighbours that the answer lists
}  // namespace kept

/// A question and the hypotheses that were found so far, each once, ranked by their residuals of a
/// sample, and at last of the whole tensor; and what every part of the search does with them:
/// estimate ropes from a sample, and fit their bases.
class HypothesisList {
 public:
  using Change = std::function<void(WrittenRope&)>;

  /// The question must outlive the list.
  explicit HypothesisList(const RotationQuestion& asked);

  /// Adds a rope that has frequencies. Of two that compute the same, the more usual one stays.
  void add(WrittenRope rope, std::string defect = {}, bool is_expected = false);
  /// Measures new ropes on the sample and keeps the best, ties by cost. The expected rope stays
  /// however badly it fits: the answer reports how badly.
  void keep(std::size_t most, const RotationSample& sample);
  /// Drops lists of factors that nobody expects, where they do not fit, as they follow whatever is
  /// wrong with a tensor, and where another rope explains it that leaves not far more.
  void drop_needless_lists();
  /// Ropes at the stated positions that leave the least of another sample, ties by cost.
  std::vector<WrittenRope> leading(const RotationSample& sample, std::size_t most) const;
  /// The best measured on the whole tensor, with the names of known defects.
  RotationAnswer ranked();
  /// Adds estimates at these positions of the sample's rows; `change` writes into a rope how they
  /// differ from the stated ones.
  void add_estimated(const AxisPositions& positions, const Change& change = {});
  /// The same of other rows.
  void add_estimated(const RotationSample& sample, const AxisPositions& positions,
                     const Change& change = {});
  /// Fits the bases of the best ropes to the angles, tries each with fewer digits too, and keeps
  /// the best.
  void refine_bases();
  /// The rope with its base as it is and rounded to 1, 2, …, 8 digits.
  void add_with_fewer_digits(WrittenRope rope);

  const std::vector<RopeHypothesis>& found() const { return found_; }
  const RopeHypothesis& best() const { return found_.front(); }
  /// Whether the best leaves no more than rounding; otherwise the search goes on.
  bool fits() const;
  /// Whether the best leaves more than rounding of the tensor, and no more than angles of fp32
  /// leave whose frequencies another library rounded: a base of more digits would make up for that
  /// alone.
  bool fits_as_angles_do() const;
  /// Whether the best residual is as small as that of the right rope, if nothing else was computed;
  /// products in bf16 leave more.
  bool fits_well() const { return best().residual.rms() < 0.02 || fits_as_angles_do(); }
  const RotationSample& sample() const { return sample_; }
  const RotationSample& small() const { return small_; }  ///< a few rows of it
  /// The likely ways of pairing its channels, the best first.
  std::span<const StructureFit> structures() const { return structures_; }
  /// The best of these, where more would take long.
  std::span<const StructureFit> best_structures() const;
  /// The largest position: fp32 angles are off by a part in 10^7 of it.
  Position reach() const;
  /// The number of axes of the positions.
  std::size_t axes() const { return static_cast<std::size_t>(question.tensor.positions.cols()); }

  const RotationQuestion& question;

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
  void put_expected_first();
  void put_sound_first();
  void add_changed(std::vector<WrittenRope> ropes, const Change& change);
  enum class Explains { no, by_roundings, by_angles };
  Explains explains(const RopeHypothesis& one) const;
  void measured_whole(std::size_t measured);
  bool leaves_far_less(const WrittenRope& rope, const RopeHypothesis& known) const;

  RotationSample sample_;
  RotationSample small_;
  std::vector<StructureFit> structures_;
  std::vector<RopeHypothesis> found_{};
  const RotationSample* measured_{nullptr};
};

/// Looks, as long as nothing fits, for positions that no row shows by itself: one row number for all
/// axes, those that a coarse format held, those of few rows, and the numbers of heads.
void search_positions(HypothesisList& search);

/// Each row's position, read off the tensor: frequencies from how far neighbouring rows turn, and
/// then the position that all pairs of a row have turned by, from −2^12 to 2^20. Empty where there
/// is none that pairs agree on; for one axis and 4 to 4096 rows. A reading is no finding: what it
/// says is to be held against the tensor.
AxisPositions measured_positions(const RotatedTensor& tensor);

/// Whether the rope, or one that takes no positions, explains the tensor where it is stated to lie.
bool explains_at(const WrittenRope& rope, const RotatedTensor& tensor);

/// The rope at the stated positions by the rule that makes the measured ones of them; empty where
/// none of those that have a name does.
/// @param assumed  nobody stated them: an offset of more than 2 is where a dump begins, no rule
std::optional<WrittenRope> rule_between(const WrittenRope& found, const AxisPositions& stated,
                                        const AxisPositions& measured, bool assumed);

/// Of a batch whose sequences are padded at the left by different numbers of rows the rope with
/// these paddings, the sequences read one by one. Empty for any other tensor.
std::vector<WrittenRope> padded_ropes(const RotationQuestion& question);

/// Ropes whose base, scaling and factor are estimated from rows at these positions [rows, axes], for
/// each of the ways of pairing: families of frequencies that come near, with the
/// measured factor where it is not their own, and those of known bases with coarse frequencies and
/// angles, too. The stages of the others are fp32.
std::vector<WrittenRope> estimated_ropes(std::span<const StructureFit> structures, Precision format,
                                         const AxisPositions& positions);

/// Ropes along several axes: each pair turns along the axis that its rows show, for each design and
/// sections that give it that axis, the base fitted; the nearest first.
std::vector<WrittenRope> ropes_along_axes(std::span<const StructureFit> structures,
                                          Precision format, const AxisPositions& positions);

/// Ropes whose pairs have the frequencies that their rows show, as a list of divisors of the
/// geometric series that most pairs have; from 8 rows on.
std::vector<WrittenRope> listed_ropes(std::span<const StructureFit> structures, Precision format,
                                      const AxisPositions& positions);

/// The exact factor behind a measured one: within 4 roundings of the format none, the scaling's
/// own, its square, that of YaRN, the scale 1/√d of the logits or its product with the own one;
/// otherwise the number of fewest digits within a quarter of a rounding.
double told_factor(const WrittenRope& rope, double measured, Precision format);

/// The rope on all channels of the head, ln theta falling as steeply from pair to pair.
WrittenRope with_whole_head(const WrittenRope& rope);

/// Whether the factor of the scaling is a number that no model is known for.
bool has_odd_factor(const WrittenRope& rope);

/// The rope with the base, from one that is within 2 %, and an odd factor of its scaling at which it
/// leaves the least of the sample: the best base of a grid on a few rows, then Gauss and Newton's
/// method on the logarithms; the factor has the digits that the sample tells. For every wiring,
/// slice and rule, along any axes. Frequencies, angles and tables are not rounded on the way.
/// @param keeps_base  the factor alone is looked for
WrittenRope refined_numbers(const WrittenRope& rope, const RotationSample& sample,
                            const RotationSample& few_rows, bool keeps_base = false);

}  // namespace orrery
