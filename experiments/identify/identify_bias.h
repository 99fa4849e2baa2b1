#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/identify/rotation_sample.h"
#include "experiments/identify/seen_mask.h"
#include "experiments/identify/written_bias.h"

namespace orrery {

/// A bias of the logits of some heads, [heads·N_q, N_k], head by head.
struct BiasQuestion {
  Index heads{1};
  MatrixIn<double> bias;
  Positions queries;  ///< m, [N_q]
  Positions keys;     ///< n, [N_k]
  Precision format{Precision::fp32};
};

struct BiasAnswer {
  /// How far the cells of a diagonal differ, in roundings: 0 for what depends on m − n alone.
  struct Toeplitz {
    double of_values{};  ///< half the range of a diagonal, the largest of all
    double
        of_weights{};  ///< the same for steps from key to key: a constant per query changes no weight
  };
  SeenMask mask{};
  Toeplitz toeplitz{};
  std::vector<BiasHypothesis> hypotheses{};  ///< best first, ties lead; empty where all is hidden
  bool explained{false};

  const BiasHypothesis& best() const { return hypotheses.front(); }
};

/// Finds what a bias matrix is made of: the mask that hides cells, whether the rest depends on m −
/// n alone, and which of ALiBi (slopes fitted per head, each form, any offset), KERPLE, Sandwich,
/// T5's buckets and tables by clipped distance it is. Numbers of a family are fitted by least
/// squares; then families are ranked by what they leave, in units of rounding of the format. A
/// family with a free number for every distance that was seen explains anything that depends on m −
/// n: it is named only where nothing simpler fits. Throws UsageError for shapes that disagree.
BiasAnswer identify_bias(const BiasQuestion& question);

/// The least distance r = m − n, behind or ahead, at which two biases differ by 8 roundings, or at
/// which one of them has a number in common with a distance that the other tells apart. Empty: none
/// to 4096.
std::optional<Position> telling_distance(const WrittenBias& a, const WrittenBias& b, Index heads,
                                         Precision format);

/// "ALiBi −s|m − n|; slopes 2^(−8(h+1)/H)".
std::string short_text(const WrittenBias& bias, Precision format);

/// Its properties in words: {"family", "T5 buckets"}, {"buckets", "32"}, …
std::vector<std::pair<std::string, std::string>> facts_of(const WrittenBias& bias,
                                                          Precision format);

/// One sentence on its defect, if one is known; otherwise empty.
std::string defect_of(const WrittenBias& bias, Precision format);

/// Words for `orrery run` and `orrery attend` with the same bias; empty where no parameters say it.
std::string setting_text(const WrittenBias& bias, Precision format);

/// "hides keys ahead of the query".
std::string mask_text(const SeenMask& mask);

}  // namespace orrery
