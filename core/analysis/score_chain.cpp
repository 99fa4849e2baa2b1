#include "core/analysis/score_chain.h"

#include <fmt/format.h>
#include <cmath>
#include <numbers>

#include "core/encodings/frequencies.h"
#include "core/errors.h"

namespace orrery {

std::vector<std::complex<double>> ScoreChain::ends() const {
  std::vector<std::complex<double>> places;
  std::complex<double> sum = 0;
  for (const std::complex<double>& link : links) places.push_back(sum += link);
  return places;
}

std::complex<double> ScoreChain::end() const {
  std::complex<double> sum = 0;
  for (const std::complex<double>& link : links) sum += link;
  return sum + rest;
}

std::vector<std::complex<double>> complex_pairs(const Rope<double>& rope,
                                                std::span<const double> x) {
  if (static_cast<Index>(x.size()) != rope.convention().d_head)
    throw UsageError(fmt::format("a vector with {} channels", x.size()),
                     fmt::format("this RoPE was made for d_head={}", rope.convention().d_head),
                     "give q and k of that head");
  std::vector<std::complex<double>> z;
  for (std::size_t t = 0; t < rope.theta().size(); ++t) {
    const auto [a, b] = rope.channels(t);
    z.emplace_back(x[static_cast<std::size_t>(a)], x[static_cast<std::size_t>(b)]);
  }
  return z;
}

ScoreChain score_chain(const Rope<double>& rope, std::span<const double> q,
                       std::span<const double> k, Position r) {
  const auto z_q = complex_pairs(rope, q);
  const auto z_k = complex_pairs(rope, k);
  const double gain = rope.attention_factor() * rope.attention_factor();
  ScoreChain chain;
  for (std::size_t t = 0; t < z_q.size(); ++t) {
    if (rope.is_muted(t)) {
      chain.links.emplace_back(0);
      continue;
    }
    const CosSin turn = rotation_at(r, rope.theta()[t]);
    chain.links.push_back(gain * z_q[t] * std::conj(z_k[t]) * std::complex(turn.cos, turn.sin));
  }
  for (std::size_t c = 0; c < q.size(); ++c)
    if (!rope.turns(static_cast<Index>(c))) chain.rest += q[c] * k[c];
  return chain;
}

namespace {

using Complex = std::complex<double>;

void check_pairs(std::span<const Complex> c, std::span<const double> theta) {
  if (c.size() == theta.size()) return;
  throw UsageError(fmt::format("{} products for {} frequencies", c.size(), theta.size()),
                   "each pair has one of both", "give as many products as pairs");
}

/// G(θ), 1 where e^{iθ} is.
Complex mean_phasor(double theta, double W) {
  const double half = std::remainder(theta, 2.0 * std::numbers::pi) / 2.0;
  const double sine = std::sin(half);
  if (sine == 0) return 1.0;
  return std::polar(std::sin(W * half) / (W * sine), (W - 1.0) * half);
}

double sign(double value) { return value < 0 ? -1.0 : 1.0; }

}  // namespace

std::vector<Moments> score_moments(std::span<const std::span<const Complex>> several,
                                   std::span<const double> theta, Position W) {
  for (const std::span<const Complex> c : several) check_pairs(c, theta);
  if (W < 1)
    throw UsageError(fmt::format("{} distances", W), "must be at least 1", "use 1 or more");
  const auto count = static_cast<double>(W);
  std::vector<double> mean(several.size()), square(several.size());
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const Complex once = mean_phasor(theta[t], count);
    for (std::size_t i = 0; i < several.size(); ++i) mean[i] += (several[i][t] * once).real();
    for (std::size_t u = 0; u < theta.size(); ++u) {
      const Complex sum = mean_phasor(theta[t] + theta[u], count),
                    difference = mean_phasor(theta[t] - theta[u], count);
      for (std::size_t i = 0; i < several.size(); ++i) {
        const std::span<const Complex> c = several[i];
        square[i] += (c[t] * (c[u] * sum + std::conj(c[u]) * difference)).real() / 2.0;
      }
    }
  }
  std::vector<Moments> moments;
  for (std::size_t i = 0; i < several.size(); ++i) {
    const double variance = square[i] - mean[i] * mean[i];
    // Rounding may leave a score that never changes a variance just below 0; a NaN stays one.
    moments.push_back({.mean = mean[i], .variance = variance < 0 ? 0.0 : variance});
  }
  return moments;
}

Moments score_moments(std::span<const Complex> c, std::span<const double> theta, Position W) {
  return score_moments(std::span(&c, 1), theta, W).front();
}

double reversal_probability(const Moments& moments, double reference) {
  const double towards = sign(reference) * moments.mean;
  if (moments.variance == 0) return towards < 0 ? 1.0 : 0.0;
  return std::erfc(towards / std::sqrt(2.0 * moments.variance)) / 2.0;
}

double mean_magnitude(const Moments& moments) {
  if (moments.variance == 0) return std::abs(moments.mean);
  const double in_deviations = moments.mean / std::sqrt(2.0 * moments.variance);
  return std::sqrt(2.0 * moments.variance / std::numbers::pi) *
             std::exp(-in_deviations * in_deviations) +
         moments.mean * std::erf(in_deviations);
}

std::vector<Complex> step_products(std::span<const Complex> c, std::span<const double> theta) {
  check_pairs(c, theta);
  std::vector<Complex> steps(c.size());
  // e^{iθ} − 1 = 2i sin(θ/2) e^{iθ/2}, without cancellation.
  for (std::size_t t = 0; t < c.size(); ++t)
    steps[t] =
        c[t] * std::polar(2.0 * std::sin(theta[t] / 2.0), (theta[t] + std::numbers::pi) / 2.0);
  return steps;
}

}  // namespace orrery
