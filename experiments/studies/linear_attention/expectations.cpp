#include "experiments/studies/linear_attention/expectations.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/analysis/largest.h"
#include "core/encodings/frequencies.h"

namespace orrery {
namespace {
namespace in_expectations {

constexpr Index most_queries = 16;

std::vector<Index> some_queries(Index n) {
  std::vector<Index> rows;
  const Index count = std::min<Index>(most_queries, n);
  for (Index i = 0; i < count; ++i) rows.push_back((i + 1) * n / count - 1);
  return rows;
}

/// e^{i p θ_t} for every pair.
std::vector<std::complex<double>> phasors(const std::vector<double>& theta, double p) {
  std::vector<std::complex<double>> turned;
  for (const double frequency : theta) turned.push_back(std::polar(1.0, p * frequency));
  return turned;
}

/// Neighbouring channels as complex numbers, each times its phasor.
void rotate(const std::vector<std::complex<double>>& by, double* row) {
  for (std::size_t t = 0; t < by.size(); ++t) {
    const std::complex<double> z = std::complex<double>(row[2 * t], row[2 * t + 1]) * by[t];
    row[2 * t] = z.real();
    row[2 * t + 1] = z.imag();
  }
}

Matrix<double> rotated(const LinearInputs& in, const Matrix<double>& x, Position shift) {
  const std::vector<double> theta = inverse_frequencies(x.cols(), in.base);
  Matrix<double> y = x;
  for (Index i = 0; i < y.rows(); ++i) {
    const auto p = static_cast<double>(in.positions[static_cast<std::size_t>(i)] + shift);
    rotate(phasors(theta, p), y.row(i).data());
  }
  return y;
}

bool sees(const LinearInputs& in, Index query, Index key) { return !in.causal || key <= query; }

/// A_mn of one query from features, 0 for keys that it does not see.
std::vector<double> weights_of(const LinearInputs& in, const Matrix<double>& q,
                               const Matrix<double>& k, Index query) {
  std::vector<double> weights(static_cast<std::size_t>(k.rows()), 0.0);
  double sum = 0;
  for (Index j = 0; j < k.rows(); ++j)
    if (sees(in, query, j))
      sum += weights[static_cast<std::size_t>(j)] = q.row(query).dot(k.row(j));
  if (sum == 0) return weights;
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace in_expectations
}  // namespace

double expected_sum_error(const LinearInputs& in, const FeatureMap<double>& features) {
  using namespace in_expectations;
  const Matrix<double> q = features.of_queries(in.q), k = features.of_keys(in.k);
  const Matrix<double> turned_q = rotated(in, q, 0), turned_k = rotated(in, k, 0);
  Largest largest;
  for (const Index m : some_queries(q.rows())) {
    double plain = 0, turned = 0;
    for (Index n = 0; n < k.rows(); ++n) {
      if (!sees(in, m, n)) continue;
      plain += q.row(m).dot(k.row(n));
      turned += turned_q.row(m).dot(turned_k.row(n));
    }
    if (plain != 0) largest.see(std::abs(1 - turned / plain));
  }
  return largest.value();
}

double expected_shift_change(const LinearInputs& in, const FeatureMap<double>& features,
                             Position shift) {
  using namespace in_expectations;
  const auto of_queries = [&](Position s) { return features.of_queries(rotated(in, in.q, s)); };
  const auto of_keys = [&](Position s) { return features.of_keys(rotated(in, in.k, s)); };
  const Matrix<double> q = of_queries(0), k = of_keys(0);
  const Matrix<double> moved_q = of_queries(shift), moved_k = of_keys(shift);
  Largest largest;
  for (const Index m : some_queries(q.rows())) {
    const std::vector<double> here = weights_of(in, q, k, m);
    const std::vector<double> there = weights_of(in, moved_q, moved_k, m);
    for (std::size_t n = 0; n < here.size(); ++n) largest.see(std::abs(there[n] - here[n]));
  }
  return largest.value();
}

double features_to_resolve(const LinearInputs& in) {
  using namespace in_expectations;
  const Matrix<double> q = rotated(in, in.q, 0), k = rotated(in, in.k, 0);
  const double root = std::sqrt(static_cast<double>(q.cols()));
  std::vector<double> sizes;
  Largest all;  // a NaN has no place in an order
  for (Index m = 0; m < q.rows(); ++m)
    for (Index n = 0; n < k.rows(); ++n)
      if (sees(in, m, n)) {
        sizes.push_back((q.row(m) + k.row(n)).squaredNorm() / root);
        all.see(sizes.back());
      }
  if (std::isnan(all.value())) return all.value();
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return std::expm1(*middle);
}

}  // namespace orrery
