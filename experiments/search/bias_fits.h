#pragma once

#include <cstddef>
#include <vector>

#include "experiments/search/rotation_sample.h"
#include "experiments/search/written_bias.h"

namespace orrery {

/// The cells of a bias that are seen, with their positions and the units of their residuals.
struct BiasCells {
  struct Cell {
    Index head;
    Position m, n;
    double value;
    double unit;   ///< u·√((y² + x̄²)/2), x̄² the mean square of its head
    double slack;  ///< half a unit in the last place
  };
  Index heads{};
  Precision format{};
  std::vector<Cell> cells{};         ///< head by head
  std::vector<std::size_t> begin{};  ///< [heads + 1]: the first cell of each head
};

/// A family with its numbers fitted, and how unusual it is.
struct BiasFit {
  WrittenBias bias{};
  double cost{};
};

/// Every family with the numbers that leave the least: nothing, a constant, ALiBi in each form with
/// the offset that the heads agree on, KERPLE, Sandwich of usual widths, T5's buckets of usual
/// numbers and lengths, and a table by clipped distance.
std::vector<BiasFit> fitted_biases(const BiasCells& cells);

/// The residual of the cells after a bias.
Residual residual_of(const WrittenBias& bias, const BiasCells& cells);

}  // namespace orrery
