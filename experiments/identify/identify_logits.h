#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/identify/rotation_sample.h"
#include "experiments/identify/written_rope.h"

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

struct LogitsAnswer {
  std::vector<LogitsHypothesis> hypotheses{};  ///< best first, ties lead; never empty
  bool explained{false};
  Index sampled_heads{};  ///< residuals are those of so many heads, queries and keys
  Index sampled_queries{};
  Index sampled_keys{};

  const LogitsHypothesis& best() const { return hypotheses.front(); }
};

/// Finds which rope turned the queries and keys of logits, S_mn = scale · (R_m q_m)·(R_n k_n):
/// known bases and scalings for each way of pairing, then each known defect in both, and positions
/// or the whole rotation lost in one of them, the base fitted. The scale takes up attention
/// factors: a² of the rope's own factor a is part of it. An offset that queries and keys share, and
/// an order that both have, change no logit; neither is looked for. Residuals are in roundings of
/// the format, u·√((y² + x̄²)/2) for a number y of a row whose mean square is x̄². Throws UsageError
/// for shapes that disagree.
LogitsAnswer identify_logits(const LogitsQuestion& question);

/// "1/√64", "1.8133/√64" or a number: the scale in words.
std::string scale_words(double scale, Index d_head, Precision format);

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
