#include "core/analysis/decay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/largest.h"
#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "core/kernels/phasor_sums.h"

namespace orrery {
namespace {

using kernels::phasor_lanes;

/// cos and sin of l·θ_t for the lanes of the kernel, [pairs][phasor_lanes].
struct StepTable {
  std::vector<double> cos;
  std::vector<double> sin;
};

StepTable step_table(std::span<const double> theta) {
  StepTable table;
  for (const double frequency : theta) {
    for (std::size_t l = 0; l < phasor_lanes; ++l) {
      const CosSin turn = rotation_at(static_cast<Position>(l), frequency);
      table.cos.push_back(turn.cos);
      table.sin.push_back(turn.sin);
    }
  }
  return table;
}

}  // namespace

DecayCurve decay_curve(std::span<const double> theta, Position first, Index count) {
  if (theta.empty() || count < 0)
    throw UsageError(fmt::format("{} frequencies, {} distances", theta.size(), count),
                     "needs a frequency and no negative count", "give d ≥ 2 and count ≥ 0");
  const StepTable steps = step_table(theta);
  std::vector<double> seed_cos(theta.size());
  std::vector<double> seed_sin(theta.size());
  std::array<double, phasor_lanes> abs_sum{};
  std::array<double, phasor_lanes> real_sum{};
  const double pairs = static_cast<double>(theta.size());
  DecayCurve curve;
  for (Index start = 0; start < count; start += static_cast<Index>(phasor_lanes)) {
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const CosSin turn = rotation_at(first + start, theta[t]);
      seed_cos[t] = turn.cos;
      seed_sin[t] = turn.sin;
    }
    kernels::phasor_sums(theta.size(), seed_cos.data(), seed_sin.data(), steps.cos.data(),
                         steps.sin.data(), abs_sum.data(), real_sum.data());
    const auto used = std::min<std::size_t>(phasor_lanes, static_cast<std::size_t>(count - start));
    for (std::size_t l = 0; l < used; ++l) {
      curve.mean_abs_S.push_back(abs_sum[l] / pairs);
      curve.B.push_back(real_sum[l]);
    }
  }
  return curve;
}

std::vector<std::complex<double>> phasor_chain(std::span<const double> theta, Position r) {
  std::vector<std::complex<double>> chain;
  std::complex<double> sum = 0;
  for (const double frequency : theta) {
    const CosSin turn = rotation_at(r, frequency);
    sum += std::complex(turn.cos, turn.sin);
    chain.push_back(sum);
  }
  return chain;
}

std::vector<std::complex<double>> pair_products(std::span<const double> q,
                                                std::span<const double> k) {
  if (q.size() != k.size() || q.size() % 2 != 0)
    throw UsageError(fmt::format("q with {} and k with {} channels", q.size(), k.size()),
                     "must be equal and even", "give q and k of one head");
  std::vector<std::complex<double>> h;
  for (std::size_t c = 0; c < q.size(); c += 2)
    h.push_back(std::complex(q[c], q[c + 1]) * std::complex(k[c], -k[c + 1]));
  return h;
}

double complex_score(std::span<const std::complex<double>> h, std::span<const double> theta,
                     Position r) {
  double score = 0;
  for (std::size_t t = 0; t < h.size(); ++t) {
    const CosSin turn = rotation_at(r, theta[t]);
    score += (h[t] * std::complex(turn.cos, turn.sin)).real();
  }
  return score;
}

double largest_step(std::span<const std::complex<double>> h) {
  Largest largest;
  for (std::size_t t = 0; t < h.size(); ++t) {
    const std::complex<double> next = t + 1 < h.size() ? h[t + 1] : 0;
    largest.see(std::abs(next - h[t]));
  }
  return largest.value();
}

std::optional<std::size_t> first_rise(std::span<const double> values) {
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] > values[i - 1]) return i;
  return std::nullopt;
}

std::optional<std::size_t> first_negative(std::span<const double> values) {
  const auto found = std::find_if(values.begin(), values.end(), [](double v) { return v < 0; });
  if (found == values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - values.begin());
}

namespace {

constexpr double half = 0.5;
constexpr int most_bisections = 60;  // [0, 1] has no more bits

/// value(above) > 1/2 ≥ value(below).
HalfSearch bisect(const std::function<double(double)>& value, double above, double below) {
  HalfSearch best{HalfOutcome::found, below, value(below)};
  for (int i = 0; i < most_bisections; ++i) {
    const double middle = above + half * (below - above);
    if (middle == above || middle == below) break;
    const double v = value(middle);
    if (std::abs(v - half) < std::abs(best.value - half)) best = {HalfOutcome::found, middle, v};
    (v > half ? above : below) = middle;
  }
  return best;
}

}  // namespace

std::optional<double> first_at_or_below(std::span<const double> curve, double level) {
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (std::isnan(curve[i])) return std::nullopt;
    if (curve[i] > level) continue;
    if (i == 0) return 0.0;
    const double step = (curve[i - 1] - level) / (curve[i - 1] - curve[i]);
    return static_cast<double>(i - 1) + step;
  }
  return std::nullopt;
}

HalfSearch search_half(const std::function<double(double)>& value, int steps) {
  HalfSearch lowest{HalfOutcome::never_falls, 0.0, value(0.0)};
  if (std::isnan(lowest.value)) return {HalfOutcome::undefined, 0.0, lowest.value};
  if (lowest.value <= half) return {HalfOutcome::falls_earlier, 0.0, lowest.value};
  double above = 0.0;
  for (int i = 1; i <= steps; ++i) {
    const double u = static_cast<double>(i) / steps;
    const double v = value(u);
    if (std::isnan(v)) return {HalfOutcome::undefined, lowest.u, lowest.value};
    if (v <= half) return bisect(value, above, u);
    if (v < lowest.value) lowest = {HalfOutcome::never_falls, u, v};
    above = u;
  }
  return lowest;
}

}  // namespace orrery
