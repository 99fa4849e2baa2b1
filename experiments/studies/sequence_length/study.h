#pragma once

#include <string>
#include <vector>

#include "experiments/model/progress.h"
#include "experiments/studies/sequence_length/measures.h"

namespace orrery::studies {

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
  std::vector<LengthPoint> lengths{};
  std::vector<double> change{};       ///< of one pair's logit, by distance
  std::vector<double> mean_change{};  ///< of like tokens' mean logit, at distances_of()
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

/// Measures everything on one encoding. Throws as length_inputs does, and Stopped.
LengthStudy study_lengths(const std::string& name, const ParamSet& params, Progress& progress);

}  // namespace orrery::studies
