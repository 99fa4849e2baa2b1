#include "core/analysis/attention_cost.h"

#include <catch2/catch.hpp>

using namespace orrery;

TEST_CASE("Operations of four tokens, counted by hand") {
  const AttentionShape shape{.tokens = 4, .d = 2, .d_v = 3};
  // Turning 8 rows 48; 16 pairs of 4 + 1 for the logit, 4 for the softmax, 6 for the output.
  CHECK(softmax_attention_flops(shape) == 48 + 16 * 15);
  // Features 32, turning 48, four states of 12 + 2, four answers of 12 + 4 + 3.
  CHECK(linear_attention_flops(shape, FeatureKind::elu, 2, LinearVariant::paper) ==
        32 + 48 + 4 * 14 + 4 * 19);
  CHECK(linear_attention_flops(shape, FeatureKind::relu, 2, LinearVariant::paper) ==
        16 + 48 + 4 * 14 + 4 * 19);
  // FAVOR+ with 6 features: 8 rows of 24 + 6 + 18; turned after the map 144, before it 48.
  const double favor = 8 * 48 + 4 * (36 + 6) + 4 * (36 + 12 + 3);
  CHECK(linear_attention_flops(shape, FeatureKind::favor, 6, LinearVariant::paper) == favor + 144);
  CHECK(linear_attention_flops(shape, FeatureKind::favor, 6,
                               LinearVariant::rotated_before_features) == favor + 48);
}

TEST_CASE("A causal head looks at N(N + 1)/2 pairs") {
  const AttentionShape shape{.tokens = 4, .d = 2, .d_v = 3, .causal = true};
  CHECK(softmax_attention_flops(shape) == 48 + 10 * 15);
}

TEST_CASE("Linear attention pays from the crossover on and not before") {
  for (const Index features : {2, 64, 256, 4096}) {
    AttentionShape shape{.d = 64, .d_v = 64, .causal = features == 64};
    const Index n =
        crossover_tokens(shape, FeatureKind::favor, features, LinearVariant::both_rotated);
    const auto gap = [&](Index tokens) {
      shape.tokens = tokens;
      return softmax_attention_flops(shape) - linear_attention_flops(shape, FeatureKind::favor,
                                                                     features,
                                                                     LinearVariant::both_rotated);
    };
    CHECK(gap(n) >= 0);
    if (n > 1) CHECK(gap(n - 1) < 0);
  }
}
