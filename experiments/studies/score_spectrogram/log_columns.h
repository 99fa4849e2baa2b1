#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/setup/measures.h"

namespace orrery {

/// Distances on a logarithmic axis, averaged by area: distance r covers the stretch from r − ½ to
/// r + ½, and a column is the mean over what it covers of them. So a cosine that turns many times
/// within a column fades to 0 instead of showing whichever distance happened to be sampled.
class LogColumns {
 public:
  /// `count` columns of equal width in log r, from 1 to `last` + ½.
  LogColumns(std::int64_t last, std::size_t count);

  std::size_t size() const { return edges_.size() - 1; }
  /// The middle of each column on the logarithmic axis.
  std::vector<double> middles() const;
  double from(std::size_t column) const { return edges_[column]; }
  double to(std::size_t column) const { return edges_[column + 1]; }

  /// Means of cos(rθ) over each column, in closed form: over whole tokens p … q it is
  /// sin(nθ/2)/(n sin(θ/2)) · cos((p + q)θ/2), n = q − p + 1.
  std::vector<double> mean_cosine(double theta) const;
  /// The same of values[r − 1] at r = 1, 2, …, with the least and the greatest value in each column;
  /// NaN where it has none.
  Band of(std::span<const double> values) const;

 private:
  std::vector<double> edges_;
};

}  // namespace orrery
