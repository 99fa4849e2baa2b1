#pragma once

#include <string>
#include <vector>

#include "experiments/search/logits_question.h"

namespace orrery {

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

}  // namespace orrery
