#pragma once

#include <vector>

#include "core/encoding.h"

namespace orrery {

/// Mean logits by distance, apart by where they come from.
struct MeanLogits {
  std::vector<double> total;     ///< the mean logit
  std::vector<double> position;  ///< the part from position terms: all but "content"
};

/// Mean logit by distance of a query and a key with the same content x, over all directions of x.
///   RoPE: |x|²/√d · B_r/(d/2); ALiBi: |x|²/√d − s_h r; T5: |x|² + b; Shaw: |x|²/√d, for q·a_r has
///   the mean 0.
///
/// This is the effect of an encoding when contents are equal and otherwise unknown. Queries are at
/// `queries`, the key is at position 0. Both parts have shape [queries]; squared_norm is |x|².
///
/// The mean is exact, without sampling, where a logit is a constant, a part linear in the
/// contents, which ±x cancels, and a product xᵀA x whose A rotates and scales channels pair by
/// pair. Off the diagonal such an A is skew, so that x = |x|/√d (1, …, 1) gives the mean over the
/// sphere, |x|² tr(A)/d. For other products Encoding::mean_directions names the vectors: the 2d
/// vectors ±|x|e_i have the mean over the sphere for any xᵀA x. Where lengths or gates are no such
/// product, the result is the mean over these vectors, not that over the sphere.
///
/// For an encoding that reads other keys, tokens of the same content ±|x|/√d (1, …, 1) are at
/// every position from 0 to the last query, up to most_tokens_between; farther queries have NaN.
///
/// Throws UsageError as the encoding does.
/// Accuracy: d·2^-52 of the largest term.
/// Cost: two heads of [queries, 1] logits, or 2d, or two of [queries, last query + 1].
MeanLogits mean_logits(const Encoding& encoding, Index d, double squared_norm, PositionsIn queries,
                       int head);

/// The largest distance at which an encoding that reads the tokens between is evaluated.
inline constexpr Position most_tokens_between = 2047;
/// The keys with which a key at position 0 is evaluated: itself alone, or for an encoding that
/// reads other keys one at each position up to the last query.
Positions keys_beside_origin(const Encoding& encoding, PositionsIn queries);
/// The last query that can be evaluated so: the encoding's last position, or most_tokens_between.
Position last_askable(const Encoding& encoding);

/// The |x|² at which the content term alone gives like tokens the logit `match`, whatever scale the
/// encoding's paper divides by (√d, √(3d), none). match > 0.
double squared_norm_for(const Encoding& encoding, Index d, double match, int head);

}  // namespace orrery
