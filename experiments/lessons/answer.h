#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace orrery {

/// What a reader predicts, or what is true: the members of the prediction's kind.
struct Answer {
  std::vector<double> x{};  ///< of a curve, from left to right
  std::vector<double> y{};
  std::vector<std::pair<std::size_t, std::size_t>> cells{};  ///< row and column, in that order
  std::vector<std::size_t> order{};                          ///< numbers of the items, first first
  double number{};
  std::vector<bool> options{};
  friend bool operator==(const Answer&, const Answer&) = default;
};

}  // namespace orrery
