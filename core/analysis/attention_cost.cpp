#include "core/analysis/attention_cost.h"

namespace orrery {
namespace {

double real(Index count) { return static_cast<double>(count); }

/// Query-key pairs that are looked at.
double pairs(const AttentionShape& shape) {
  const double n = real(shape.tokens);
  return shape.causal ? n * (n + 1) / 2 : n * n;
}

}  // namespace

double rotation_flops(Index rows, Index d) { return 3.0 * real(rows) * real(d); }

double softmax_attention_flops(const AttentionShape& shape) {
  const double logits = 2 * real(shape.d) + 1;
  constexpr double softmax = 4;
  const double output = 2 * real(shape.d_v);
  return rotation_flops(2 * shape.tokens, shape.d) + pairs(shape) * (logits + softmax + output);
}

double feature_flops(FeatureKind kind, Index rows, Index d, Index features) {
  switch (kind) {
    case FeatureKind::elu:
      return 2.0 * real(rows) * real(d);
    case FeatureKind::relu:
      return real(rows) * real(d);
    case FeatureKind::favor:
      break;
  }
  return real(rows) * (2.0 * real(d) * real(features) + 3.0 * real(d) + 3.0 * real(features));
}

double linear_attention_flops(const AttentionShape& shape, FeatureKind kind, Index features,
                              LinearVariant variant) {
  const Index rows = 2 * shape.tokens;
  const Index turned = variant == LinearVariant::rotated_before_features ? shape.d : features;
  const double f = real(features);
  const double state = 2 * f * real(shape.d_v) + f;
  const double answer = 2 * f * real(shape.d_v) + 2 * f + real(shape.d_v);
  return feature_flops(kind, rows, shape.d, features) + rotation_flops(rows, turned) +
         real(shape.tokens) * (state + answer);
}

Index crossover_tokens(AttentionShape shape, FeatureKind kind, Index features,
                       LinearVariant variant) {
  const auto pays = [&](Index tokens) {
    shape.tokens = tokens;
    return linear_attention_flops(shape, kind, features, variant) <= softmax_attention_flops(shape);
  };
  Index enough = 1;
  while (!pays(enough)) enough *= 2;
  Index low = enough / 2;  // does not pay, or is 0
  while (enough - low > 1) {
    const Index middle = low + (enough - low) / 2;
    (pays(middle) ? enough : low) = middle;
  }
  return enough;
}

}  // namespace orrery
