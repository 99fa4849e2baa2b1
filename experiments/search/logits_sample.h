#pragma once

#include <vector>

#include "experiments/search/identify_logits.h"

namespace orrery {

/// Some queries and keys of some heads, copied, with the units of their logits.
struct LogitsSample {
  RowPlaces queries{}, keys{};
  Matrix<double> q{}, k{};  ///< [H·N_q, d], [H·N_k, d]
  Matrix<double> logits{};  ///< [H·N_q, N_k]
  Matrix<double> unit{};    ///< 0 where a cell is hidden
  Precision format{};

  Index heads() const { return static_cast<Index>(queries.heads.size()); }
};

/// Rows and keys from the beginning, the middle and the end.
LogitsSample logits_sample(const LogitsQuestion& question, Index most_rows, Index most_heads);

/// The scale by least squares, and what remains.
void measure(LogitsHypothesis& hypothesis, const LogitsSample& sample);

}  // namespace orrery
