#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/analysis/norms.h"
#include "core/pipelines.h"
#include "experiments/model/experiment.h"

namespace orrery::studies {

/// ‖f(x, m)‖/‖x‖ by position. What an encoding does to queries and to keys may differ.
struct Curve {
  std::string encoding;
  std::string key;    ///< in names of columns, scalars and checks
  std::string label;  ///< in legends
  int color{};
  LineStyle style{LineStyle::solid};
  bool rotates{};  ///< an orthogonal matrix: the length must be kept
  bool adds{};     ///< a vector is added
  bool drawn{};    ///< from a table that is drawn by seed
  std::vector<double> mean{}, least{}, greatest{};
  std::size_t known{
      0};  ///< number of positions, from the first on, at which the encoding is defined
  double norm_bound{};    ///< what rounding may do to a rotation
  double exact_change{};  ///< of a sum: the largest relative change of a length in exact
  bool exact{};           ///< computed there: no rounding could hide a change
  double cosine_law{};    ///< residual of the sum
  double law_bound{};

  void add(const RatioSpread& spread) {
    mean.push_back(spread.mean);
    least.push_back(spread.least);
    greatest.push_back(spread.greatest);
  }
  void end_at(std::size_t positions);
  std::vector<double> change() const;
  /// Over the first `known` positions; NaN if one of them is.
  double largest_change() const;
  /// Whether rounding leaves the change of a sum to be seen: in exact it is twice what rounding may
  /// cost, so that a pipeline keeps at least once that. A NaN is to be seen.
  bool change_shows() const { return exact || !(exact_change < 2 * norm_bound); }
  double mean_ratio() const;
};

/// The curve of an encoding in a pipeline: two where queries and keys are changed differently.
std::vector<Curve> measure_in(const Pipeline& pipeline, const std::string& name,
                              const ParamSet& params, const Positions& positions,
                              Progress& progress);

}  // namespace orrery::studies
