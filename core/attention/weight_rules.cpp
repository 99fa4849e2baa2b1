#include "core/attention/weight_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.h"
#include "core/logit_rule.h"

namespace orrery {
namespace {

void check_rule(const LogitRule& rule) {
  if (!(rule.length > 0) || !std::isfinite(rule.length))
    throw UsageError(fmt::format("logit_rule.length={}", rule.length),
                     "must be positive and finite", "Llama 4 has 8192");
  if (!std::isfinite(rule.strength) || !std::isfinite(rule.offset))
    throw UsageError(
        fmt::format("logit_rule.strength={} and offset={}", rule.strength, rule.offset),
        "must be finite", "Llama 4 has a strength of 0.1");
}

Index keys_seen(const Mask& mask, Index query, Index keys) {
  const VisibleKeys seen = mask.keys_of(query, keys);
  if (seen.all) return seen.end - seen.first;
  Index count = 0;
  for (Index j = seen.first; j < seen.end; ++j) count += mask.allows(query, j) ? 1 : 0;
  return count;
}

/// The weights of one row, keys in the order in which they break the stick.
template <class T>
bool break_row(const Mask& mask, Index query, const std::vector<Index>& order,
               const Matrix<T>& logits, Matrix<T>& weights) {
  double left = 0;  // the logarithm of what is left of the stick
  bool undefined = false;
  for (const Index key : order) {
    if (!mask.allows(query, key)) continue;
    const double logit = static_cast<double>(logits(query, key));
    // 1 takes all: what is left is 0 for good, whatever comes.
    const double weight = std::exp(log_sigmoid(logit) + left);
    weights(query, key) = static_cast<T>(weight);
    left += log_sigmoid(-logit);
    undefined = undefined || std::isnan(weight);
  }
  return undefined;
}

}  // namespace

std::vector<double> logit_factors_of(const LogitRule& rule, PositionsIn m, const Mask& mask,
                                     Index keys) {
  check_rule(rule);
  std::vector<double> factors(m.size());
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Index seen = rule.counts_keys() ? keys_seen(mask, static_cast<Index>(i), keys) : 0;
    factors[i] = logit_factor(rule, m[i], seen);
  }
  return factors;
}

template <class T>
void scale_rows(std::span<const double> factors, MatrixOut<T> map) {
  for (Index i = 0; i < map.rows(); ++i)
    map.row(i) *= static_cast<T>(factors[static_cast<std::size_t>(i)]);
}

template <class T>
void stick_breaking(const Mask& mask, PositionsIn n, AttentionOutput<T>& out) {
  const Matrix<T>& logits = out.logits;
  mask.check_shape(logits.rows(), logits.cols());
  out.weights = Matrix<T>::Zero(logits.rows(), logits.cols());
  out.fully_masked_rows = out.nan_rows = 0;
  std::vector<Index> order(n.size());
  std::iota(order.rbegin(), order.rend(), Index{0});  // of equal positions the last key first
  std::ranges::stable_sort(order, [&](Index a, Index b) {
    return n[static_cast<std::size_t>(a)] > n[static_cast<std::size_t>(b)];
  });
  for (Index i = 0; i < logits.rows(); ++i)
    if (!mask.sees_a_key(i, logits.cols()))
      ++out.fully_masked_rows;
    else if (break_row(mask, i, order, logits, out.weights))
      ++out.nan_rows;
}

template void scale_rows(std::span<const double>, MatrixOut<float>);
template void scale_rows(std::span<const double>, MatrixOut<double>);
template void stick_breaking(const Mask&, PositionsIn, AttentionOutput<float>&);
template void stick_breaking(const Mask&, PositionsIn, AttentionOutput<double>&);

template <class T>
void cap_logits(double c, Matrix<T>& logits) {
  if (c > 0) logits = ((logits.array() / static_cast<T>(c)).tanh() * static_cast<T>(c)).matrix();
}

template <class T>
void pull_cap_back(double c, const Matrix<T>& capped, Matrix<T>& d) {
  if (c > 0) d.array() *= 1 - (capped.array() / static_cast<T>(c)).square();
}

template void cap_logits(double, Matrix<float>&);
template void cap_logits(double, Matrix<double>&);
template void pull_cap_back(double, const Matrix<float>&, Matrix<float>&);
template void pull_cap_back(double, const Matrix<double>&, Matrix<double>&);

}  // namespace orrery
