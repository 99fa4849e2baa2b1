#pragma once

#include <string>
#include <vector>

#include "core/random.h"
#include "experiments/model/experiment.h"

namespace orrery::setup {

// Queries and keys that neither a text nor a projection provides.

/// A query and a key before any rotation.
struct QkPair {
  Matrix<double> q;  ///< [1, d]
  Matrix<double> k;  ///< [1, d]
};

/// The choices "ones", "equal" and "random", and behind them `others`.
std::vector<Choice> qk_content_choices(std::vector<Choice> others);

/// Pairs of d channels by one of these choices: one pair of "ones", otherwise `draws` pairs, q
/// drawn before k.
std::vector<QkPair> qk_pairs(const std::string& content, Index d, std::int64_t draws,
                             Random& random);

}  // namespace orrery::setup
