#pragma once

#include <optional>
#include <string>

#include "experiments/search/rotation_sample.h"
#include "experiments/search/written_rope.h"

namespace orrery {

/// Logits of queries and keys that were turned, and both as they were before.
struct LogitsQuestion {
  Index heads{1};
  MatrixIn<double> q;       ///< [heads·N_q, d], before
  MatrixIn<double> k;       ///< [heads·N_k, d]
  MatrixIn<double> logits;  ///< [heads·N_q, N_k]; hidden cells are left out
  Positions queries;        ///< m, [N_q]
  Positions keys;           ///< n, [N_k]
  Precision format{Precision::fp32};
  std::optional<WrittenRope> expected{};  ///< of both; its defects are tried first
};

/// Ropes that may have turned q and k, and the number that multiplies their product.
struct LogitsHypothesis {
  WrittenRope of_q{};
  WrittenRope of_k{};
  double scale{};  ///< of q·k, by least squares
  double cost{};
  std::string defect{};     ///< of the expected rope, in both
  bool is_expected{false};  ///< both are the expected rope, whatever the scale
  Residual residual{};
  double evidence{};
  bool tied{false};
};

}  // namespace orrery
