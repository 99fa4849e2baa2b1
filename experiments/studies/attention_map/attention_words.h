#pragma once

#include <string>
#include <vector>

#include "core/analysis/weight_statistics.h"
#include "core/params.h"
#include "core/types.h"

namespace orrery {

/// Where the weights of a map's queries are, added up query by query.
class AttentionSums {
 public:
  /// @param m  the position of the row's query
  /// @param n  the positions of the keys
  template <class T>
  void add(const Matrix<T>& weights, Index row, Position m, PositionsIn n, const RowStatistics& of);

  double mean_entropy() const { return entropy_ / queries_; }
  double mean_distance() const { return distance_ / queries_; }
  /// "Layer 1, head 0 with RoPE attends 2.6 tokens back on average; most weight (36 %) goes …".
  std::string title(const ParamSet& params, const std::string& encoding) const;
  /// Whether so many of the weights are far below the largest that a linear scale shows one colour.
  bool spans_decades() const { return low_ > high_; }

 private:
  double queries_{}, entropy_{}, distance_{};
  double even_entropy_{};              ///< were all seen keys alike
  double low_{}, high_{};              ///< cells
  std::vector<double> by_distance_{};  ///< weight at each |m − n| that the map may have
};

}  // namespace orrery
