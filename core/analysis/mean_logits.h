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
/// Exact, no sampling, where logits are a constant, a part linear in the contents, which ±x
/// cancels, and a product xᵀA x whose A rotates and scales channels pair by pair: off the diagonal
/// it is skew, so that x = |x|/√d (1, …, 1) gives what the mean over the sphere gives,
/// |x|² tr(A)/d. An encoding that MixesChannels names another such direction; where it has none,
/// the mean is that over the 2d vectors ±|x|e_i, which is that over the sphere for any xᵀA x. Both
/// stand for it where lengths or gates are no such product. For one that reads other keys, tokens
/// of the same content ±|x|/√d (1, …, 1) stand at every position from 0 to the last query: up to
/// most_tokens_between, and NaN beyond. squared_norm |x|². Throws UsageError as the encoding does.
/// Accuracy: d·2^-52 of the largest term. Cost: two heads of [queries, 1] logits, or 2d, or two of
/// [queries, last query + 1].
MeanLogits mean_logits(const Encoding& encoding, Index d, double squared_norm, PositionsIn queries,
                       int head);

/// Farther keys than these are not met by an encoding that reads the tokens between.
inline constexpr Position most_tokens_between = 2047;
/// The keys that a key at position 0 stands among when the encoding is asked about two tokens: it
/// alone, or one at each position up to the last query for an encoding that reads other keys.
Positions keys_beside_origin(const Encoding& encoding, PositionsIn queries);
/// The last query that may be asked so: the encoding's last position, or most_tokens_between.
Position last_askable(const Encoding& encoding);

/// The |x|² at which the content term alone gives like tokens the logit `match`, whatever scale the
/// encoding's paper divides by (√d, √(3d), none). match > 0.
double squared_norm_for(const Encoding& encoding, Index d, double match, int head);

}  // namespace orrery
