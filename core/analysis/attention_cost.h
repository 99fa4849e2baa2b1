#pragma once

#include "core/attention/linear_attention.h"

namespace orrery {

// Floating-point operations of one attention head, counted from its formulas and not timed: a
// multiplication, an addition, an exponential and a division are one each. q and k are given.

struct AttentionShape {
  Index tokens{};  ///< N, queries and keys
  Index d{};       ///< channels of q and k
  Index d_v{};     ///< channels of v
  bool causal{false};
};

/// Operations to rotate n rows of d channels by RoPE: 3 d each, without the sines.
double rotation_flops(Index rows, Index d);

/// Softmax attention with RoPE over P pairs, P = N² or, causal, N(N + 1)/2: rotation of q and k,
/// P(2d + 1) for logits, 4P for the softmax (difference, exponential, sum, division), 2 P d_v for
/// the output.
double softmax_attention_flops(const AttentionShape& shape);

/// Features of n rows: elu + 1 takes 2 d, relu d, FAVOR+ 2 d M + 3 d + 3 M each.
double feature_flops(FeatureKind kind, Index rows, Index d, Index features);

/// Linear attention, eq. (19) and its variants: features and rotation of q and k, N(2 F d_v + F)
/// for the state, N(2 F d_v + 2 F + d_v) for the answers, causal or not.
double linear_attention_flops(const AttentionShape& shape, FeatureKind kind, Index features,
                              LinearVariant variant);

/// The least N at which linear attention takes no more operations than softmax attention; shape's
/// own tokens are not read. The first grows as N, the second as N²: there is one such N.
Index crossover_tokens(AttentionShape shape, FeatureKind kind, Index features,
                       LinearVariant variant);

}  // namespace orrery
