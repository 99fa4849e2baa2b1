#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/verify/agreement.h"

namespace orrery::test {

/// Of the layers whose attention is taken on both ways.
inline constexpr Index path_heads = 2, path_d = 8, path_d_model = 12;

/// An encoding in both precisions, and as its paper has it.
struct PathSubject {
  std::string name;
  std::function<const Encoding&(bool wide)> encoding;
  std::function<literal::Terms(const literal::Head&, int h)> terms;
  /// What the weighted values gain, where that is not 0.
  std::function<Rows(const literal::Head&, const Rows& weights)> output{};
  /// √ of what the paper divides each product by, where every term is one; 0 elsewhere.
  double root{0};
  double angle{0};           ///< the loss of angles at distances to 1000
  bool segmented{false};     ///< whether it reads path_segments
  bool turns_values{false};  ///< whether a channel of a value becomes another's
};

/// Segments of tokens, by position.
literal::Ids path_segments(const Positions& at);

std::vector<PathSubject> path_subjects(Random& random);

}  // namespace orrery::test
