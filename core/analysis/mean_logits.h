#pragma once

#include <vector>

#include "core/encoding.h"

namespace orrery {

/// Mean logits by distance, apart by where they come from.
struct MeanLogits {
  std::vector<double> total;     ///< the mean logit
  std::vector<double> position;  ///< the part from position terms: all but "content"
};

/// The mean over all directions of the content x of the logit that a query with content x at each
/// of `queries` gives a key with the same content at position 0: the effect of an encoding when
/// contents are equal and otherwise unknown. Both parts [queries].
///   RoPE: |x|²/√d · B_r/(d/2); ALiBi: |x|²/√d − s_h r; T5: |x|² + b; Shaw: |x|²/√d, because q·a_r
///   averages to 0.
/// Exact, no sampling, for every encoding of the catalogue: its logits are a constant, a part
/// linear in the contents, which ±x cancels, and a product xᵀA x whose A rotates and scales
/// channels pair by pair: off the diagonal it is skew, so that x = |x|/√d (1, …, 1) gives what the
/// mean over the sphere gives, |x|² tr(A)/d. squared_norm |x|². Throws UsageError as the encoding
/// does. Accuracy: d·2^-52 of the largest term. Cost: two heads of [queries, 1] logits.
MeanLogits mean_logits(const Encoding& encoding, Index d, double squared_norm, PositionsIn queries,
                       int head);

/// The |x|² at which the content term alone gives like tokens the logit `match`, whatever scale the
/// encoding's paper divides by (√d, √(3d), none). match > 0.
double squared_norm_for(const Encoding& encoding, Index d, double match, int head);

}  // namespace orrery
