#pragma once

#include <string>
#include <vector>

#include "core/types.h"
#include "experiments/result.h"

namespace orrery {

/// One line a query and encoding, long form: a spreadsheet filters it by encoding.
class RowTable {
 public:
  struct Means {
    double entropy_bits{};
    double distance{};
  };

  /// Appends a line for each query and returns the means over them.
  /// @param labels  of the tokens, [N]; empty when they have none
  template <class T>
  Means add(const std::string& encoding, const std::vector<std::string>& labels,
            PositionsIn positions, const Matrix<T>& weights);

  /// "queries": encoding, query, position, token, entropy, mean distance, strongest key.
  Table finish() &&;

 private:
  std::vector<std::string> encoding_, token_, strongest_token_;
  std::vector<double> query_, position_, entropy_, distance_, strongest_, weight_;
};

}  // namespace orrery
