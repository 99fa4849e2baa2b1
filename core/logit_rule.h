#pragma once

#include <string_view>

#include "core/position.h"
#include "core/types.h"

namespace orrery {

/// A factor of all logits of a query, by its position or by the keys that it sees: what models do
/// so that attention over long texts stays as sharp as over short ones. a is the strength, L the
/// length.
enum class LogitRuleKind {
  none,
  llama4,            ///< 1 + a ln(1 + ⌊(m + 1)/L⌋), a = 0.1, L = 8192: its layers without RoPE
  mistral,           ///< 1 + a ln(1 + ⌊m/L⌋): Ministral 3, a = llama_4_scaling_beta
  inkling,           ///< 1 + a ln max(1, (m + 1)/L), a = 0.1, of the bias too
  beam,              ///< (1 + (m + 1)/L)^a, a = 0.1, L = 2048: its layers without RoPE, whose
                     ///< code adds the 1 that its docstring does not have
  scalable_softmax,  ///< a ln n + b, n the keys that the query sees: p_j = n^(a z_j)/Σ n^(a z)
};

struct LogitRule {
  LogitRuleKind kind{LogitRuleKind::none};
  double strength{0.1};
  double length{8192.0};  ///< tokens
  double offset{0.0};     ///< b, of scalable_softmax

  bool given() const { return kind != LogitRuleKind::none; }
  /// Whether it takes n, and not m.
  bool counts_keys() const { return kind == LogitRuleKind::scalable_softmax; }
};

/// The factor for a query at m that sees `seen` keys. Positions below 0, where the formulas have no
/// values or others than their models mean, count as 0; no key counts as one. Sources:
/// Transformers, modeling_llama4, modeling_ministral3, modeling_inkling, modeling_beam; Nakanishi
/// 2025 (Scalable-Softmax), arXiv 2501.19399 §2.
double logit_factor(const LogitRule& rule, Position m, Index seen);

/// How weights are computed from logits.
enum class WeightRule {
  softmax,
  /// a_mn = σ(l_mn) Π_{j between} (1 − σ(l_mj)), over the keys j that the query sees at positions
  /// after key n: each key, the last first, breaks its share off what is left of a stick of length
  /// 1. Weights sum to 1 less what nobody takes.
  stick_breaking,
};

/// ln σ(x), without overflow.
double log_sigmoid(double x);
/// σ(x) = 1/(1 + e^−x).
double sigmoid(double x);
/// ln(1 + e^x), without overflow.
double softplus(double x);

}  // namespace orrery
