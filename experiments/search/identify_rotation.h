#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/search/rotation_sample.h"
#include "experiments/search/written_rope.h"

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
  bool positions_known{true};             ///< otherwise a common offset is as likely as none
  std::optional<WrittenRope> expected{};  ///< its defects are tried first
  std::size_t most{8};                    ///< hypotheses that are returned, ties beyond it included
  int threads{1};                         ///< any number: the same answer
};

struct RotationAnswer {
  std::vector<RopeHypothesis>
      hypotheses{};       ///< best first; ties lead, the most usual before others
  bool explained{false};  ///< whether the first fits to within rounding
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

/// Finds which rope turned a tensor into another. Frequencies and stretch are estimated, not tried:
/// each pair's angle is solved for by row and regressed on positions, for each way of pairing that
/// keeps lengths (pair_phasors.h); frequencies give bases and scalings (frequency_families.h). Then
/// hypotheses are ranked by the residual of the applied tensor: those of the estimates, of released
/// models, and all of these with each known defect. All of it happens on a sample of rows and
/// heads; the best are measured on the whole. Two hypotheses are tied when their squared residuals,
/// in units of the better one's variance, differ by less than `evidence_to_decide`. Throws
/// UsageError for shapes that disagree, and for no hypothesis at all: an odd number of channels.
RotationAnswer identify_rotation(const RotationQuestion& question);

}  // namespace orrery
