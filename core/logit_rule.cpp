#include "core/logit_rule.h"

#include <algorithm>
#include <cmath>

namespace orrery {

double logit_factor(const LogitRule& rule, Position m, Index seen) {
  const double at = static_cast<double>(std::max<Position>(m, 0));
  const double a = rule.strength, length = rule.length;
  switch (rule.kind) {
    case LogitRuleKind::none:
      return 1.0;
    case LogitRuleKind::llama4:
      return 1.0 + a * std::log1p(std::floor((at + 1.0) / length));
    case LogitRuleKind::mistral:
      return 1.0 + a * std::log1p(std::floor(at / length));
    case LogitRuleKind::inkling:
      return 1.0 + a * std::log(std::max(1.0, (at + 1.0) / length));
    case LogitRuleKind::beam:
      return std::pow(1.0 + (at + 1.0) / length, a);
    case LogitRuleKind::scalable_softmax:
      break;
  }
  return a * std::log(static_cast<double>(std::max<Index>(seen, 1))) + rule.offset;
}

double log_sigmoid(double x) { return -softplus(-x); }

double sigmoid(double x) {
  if (x >= 0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

}  // namespace orrery
