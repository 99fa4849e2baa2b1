#pragma once

#include <string>
#include <vector>

#include "experiments/length_measures.h"
#include "experiments/progress.h"

namespace orrery {

// What sequence_length measures on each encoding, and where.

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
  std::size_t known_offsets{};  ///< from the first on: those whose positions the encoding knows
  double rounding{};
  double decoding{};
  double largest_value{};  ///< |v| of the window

  bool ends() const { return last_position < max_position; }
  /// Over the known offsets; NaN when there are none, and when one of the changes is.
  double largest_offset_change() const;
};

/// Everything on one encoding, between the fractions `from` and `to` of the progress. Throws as
/// length_scene does, and Stopped.
LengthStudy study_lengths(const std::string& name, const ParamSet& params, Progress& progress,
                          double from, double to);

}  // namespace orrery
