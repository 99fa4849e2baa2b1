#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/params.h"
#include "core/position.h"
#include "experiments/model/progress.h"

namespace orrery {

// The measures of sequence_length on each encoding, and their positions.

/// Spaced by ratios, with the training length and the next one among them.
Positions lengths_of(const ParamSet& params);
/// Where the mean logit is taken: spaced by ratios, the training length among them.
Positions distances_of(const ParamSet& params);
/// Powers of two up to the largest length.
Positions offsets_of(const ParamSet& params);

/// Everything measured on one encoding.
struct LengthStudy {
  std::string name{};
  bool relative{};
  Position last_position{};
  /// How new queries at position N − 1 spread their attention over keys at 0 … N − 1, by length:
  /// mean and deviation of the entropy, bits, log2 N for equal weights, and of the weight on the
  /// last `window` keys.
  std::vector<double> entropy{}, entropy_deviation{}, recent{}, recent_deviation{};
  std::vector<double> change{};       ///< of one pair's logit, by distance
  std::vector<double> mean_change{};  ///< of like tokens' mean logit, at distances_of()
  /// Mean over queries of ½ Σ|difference| of the causal weights of the window when all of its
  /// positions are shifted.
  std::vector<double> offsets{};
  std::size_t
      known_offsets{};    ///< number of offsets, from the first on, whose positions are defined
  double ratio_change{};  ///< of the logarithm of a ratio of weights, over the known offsets
  double rounding{};
  double decoding{};
  double largest_value{};  ///< |v| of the window

  bool ends() const { return last_position < max_position; }
  /// Over the known offsets; NaN when there are none, and when one of the changes is.
  double largest_offset_change() const;
};

/// Measures everything on one encoding. Contents are normals, scaled so that content logits have the
/// deviation "spread" for every encoding: some papers divide by √d, some by √(3d), T5 by nothing. The
/// tables of learned positions end at "train_length". Throws UsageError for a head that is not there,
/// and Stopped.
LengthStudy study_lengths(const std::string& name, const ParamSet& params, Progress& progress);

/// The first index from which on nothing changes by more than `tolerance`, among the values before
/// the first NaN; nullopt when only the last of them is left.
std::optional<std::size_t> constant_from(const std::vector<double>& values, double tolerance);

/// How far values[from …] leave the range of values[0 … from), up to the first NaN; 0 when they
/// stay, NaN when there are none.
double beyond_seen(const std::vector<double>& values, std::size_t from);

// What the lengths beyond the training length found, in titles.

/// "RoPE leaves the range seen in training by 3.1".
std::string logit_title(const LengthStudy& of, const ParamSet& params);
/// Whose attention widens with the length, and whose does not.
std::string entropy_title(const std::vector<LengthStudy>& all, const ParamSet& params);
/// Who keeps most on recent tokens at the largest length, and who least.
std::string recent_title(const std::vector<LengthStudy>& all, const ParamSet& params);
/// Whose weights a shift leaves as they are.
std::string offset_title(const std::vector<LengthStudy>& all, const ParamSet& params);

}  // namespace orrery
