#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/analysis/norms.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"

namespace orrery {

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
  Band ratio{};    ///< at each position, over the vectors
  std::size_t known{
      0};  ///< number of positions, from the first on, at which the encoding is defined
  double norm_bound{};    ///< what rounding may do to a rotation
  double exact_change{};  ///< of a sum: the largest relative change of a length in exact
  bool exact{};           ///< computed there: no rounding could hide a change
  double cosine_law{};    ///< residual of the sum
  double law_bound{};

  void add(const RatioSpread& spread) {
    ratio.mean.push_back(spread.mean);
    ratio.least.push_back(spread.least);
    ratio.greatest.push_back(spread.greatest);
  }
  void end_at(std::size_t positions);
  std::vector<double> change() const;
  /// Over the first `known` positions; NaN if one of them is.
  double largest_change() const;
  bool change_shows() const { return exact || stands_out(exact_change, norm_bound); }
  double mean_ratio() const;
};

/// The curve of an encoding in a pipeline: two where queries and keys are changed differently.
std::vector<Curve> measure_in(const Pipeline& pipeline, const std::string& name,
                              const ParamSet& params, const Positions& positions,
                              Progress& progress);

}  // namespace orrery
