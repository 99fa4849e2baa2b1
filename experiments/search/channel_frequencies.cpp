#include "experiments/search/channel_frequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace orrery {
namespace {

/// y = x cos(α + nθ) + x' sin(α + nθ) for one output channel, x' with its sign.
struct Channel {
  Index out, own, across;
  double sign;
};

/// Σ of squares that the best α, as a free vector (u, v), leaves.
double misfit_at(const Channel& channel, const RotationSample& sample, Index rows, double theta) {
  double uu = 0, uv = 0, vv = 0, uy = 0, vy = 0, yy = 0;
  const Position first = sample.places.positions(0, 0);
  for (Index n = 0; n < rows; ++n) {
    const double angle = theta * static_cast<double>(sample.places.positions(n, 0) - first);
    const double cos = std::cos(angle), sin = std::sin(angle);
    for (Index h = 0; h < sample.heads(); ++h) {
      const Index i = h * sample.rows() + n;
      const double x = sample.before(i, channel.own);
      const double across = channel.sign * sample.before(i, channel.across);
      const double y = sample.after(i, channel.out);
      const double u = x * cos + across * sin, v = across * cos - x * sin;
      uu += u * u;
      uv += u * v;
      vv += v * v;
      uy += u * y;
      vy += v * y;
      yy += y * y;
    }
  }
  const double determinant = uu * vv - uv * uv;
  if (!(determinant > 1e-12 * uu * vv)) return yy;
  return yy - (uy * uy * vv - 2 * uy * vy * uv + vy * vy * uu) / determinant;
}

/// The rows whose positions lie within `span` of the first.
Index rows_within(const RotationSample& sample, double span) {
  Index rows = 1;
  while (rows < sample.rows() &&
         static_cast<double>(
             std::abs(sample.places.positions(rows, 0) - sample.places.positions(0, 0))) <= span)
    ++rows;
  return rows;
}

FrequencyEstimate search(const Channel& channel, const RotationSample& sample) {
  constexpr double fastest = 2.2, first_span = 8;
  double span = first_span, step = 0.05, best = 0;
  double least = -1;
  for (double theta = -fastest; theta <= fastest; theta += step) {
    const double misfit = misfit_at(channel, sample, rows_within(sample, span), theta);
    if (least >= 0 && misfit >= least) continue;
    least = misfit;
    best = theta;
  }
  const auto last = static_cast<double>(sample.places.positions(sample.rows() - 1, 0) -
                                        sample.places.positions(0, 0));
  for (; step * span > 0.02 || span < last; span *= 1.6, step /= 1.8) {
    const Index rows = rows_within(sample, span);
    const double center = best;
    least = -1;
    for (int k = -4; k <= 4; ++k) {
      const double theta = center + step * k / 4;
      const double misfit = misfit_at(channel, sample, rows, theta);
      if (least >= 0 && misfit >= least) continue;
      least = misfit;
      best = theta;
    }
    if (step * last < 0.005) break;
  }
  return {best, step, std::numbers::pi * 2};
}

}  // namespace

std::vector<FrequencyEstimate> estimate_channel_frequencies(const WrittenRope& rope,
                                                            const RotationSample& sample) {
  if (sample.rows() < 4) return {};
  const Index pairs = pairs_of(rope);
  std::vector<double> sums(static_cast<std::size_t>(pairs), 0.0);
  for (Index t = 0; t < pairs; ++t) {
    const WrittenPair at = pair_at(rope, t);
    const double sign = rope.wiring == Wiring::no_negation ? 1.0 : -1.0;
    const auto see = [&](const Channel& channel, Index place) {
      const Index table = table_pair(rope, t, place);
      sums[static_cast<std::size_t>(table)] += search(channel, sample).theta / 2;
    };
    see({at.out_a, at.a, at.b, sign}, at.a);
    see({at.out_b, at.b, at.a, 1.0}, at.b);
  }
  const double reach = static_cast<double>(sample.places.positions(sample.rows() - 1, 0) -
                                           sample.places.positions(0, 0));
  std::vector<FrequencyEstimate> estimates;
  for (const double theta : sums)
    estimates.push_back({theta, 0.02 / std::max<double>(reach, 1), 2 * std::numbers::pi});
  return estimates;
}

}  // namespace orrery
