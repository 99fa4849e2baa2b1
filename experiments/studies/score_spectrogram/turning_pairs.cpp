#include "experiments/studies/score_spectrogram/turning_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include "core/analysis/decay.h"
#include "core/encodings/frequencies.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/provenance.h"

namespace orrery {
namespace {
namespace in_turning_pairs {

/// Axes that stay as they are while the pairs turn.
VectorPlot plane(const Range& x, const Range& y) {
  return {.x = {.label = "real part", .range = x},
          .y = {.label = "imaginary part", .range = y},
          .quantity = "pair index $t$",
          .value_role = AxisRole::pair};
}

}  // namespace in_turning_pairs
}  // namespace

std::optional<Pairs> pairs_of(const Encoding& encoding, Index d) {
  const TurningPairs turning = encoding.turning_pairs();
  if (turning.theta.empty()) return std::nullopt;
  Pairs pairs;
  for (std::size_t t = 0; t < turning.theta.size(); ++t)
    pairs.push_back(turning.is_muted(t) ? std::nullopt : std::optional(turning.theta[t]));
  pairs.resize(std::max<std::size_t>(pairs.size(), static_cast<std::size_t>(d / 2)), 0.0);
  return pairs;
}

MapLine quarter_turn(const Pairs& pairs) {
  MapLine line{.label = "a quarter turn: $\\cos(rθₜ) = 0$"};
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    if (!pairs[t] || *pairs[t] == 0) continue;
    line.x.push_back(std::numbers::pi / (2 * *pairs[t]));
    line.y.push_back(static_cast<double>(t));
  }
  return line;
}

Figure orbits_figure(const ParamSet& params, const Pairs& pairs) {
  using namespace in_turning_pairs;
  const std::int64_t r = params.integer("distance");
  VectorPlot plot = plane({-1.05, 1.05}, {-1.05, 1.05});
  const auto count = static_cast<double>(pairs.size());
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    if (!pairs[t]) continue;
    const CosSin turn = rotation_at(r, *pairs[t]);
    const double radius = (static_cast<double>(t) + 1) / count;
    plot.arrows.push_back({0, 0, radius * turn.cos, radius * turn.sin, static_cast<double>(t)});
  }
  return {"orbits", fmt::format("The orrery at distance $r$ = {}: pair $t$ has turned by $rθₜ$", r),
          caption_of(params), std::move(plot)};
}

Figure chain_figure(const ParamSet& params, const Pairs& pairs) {
  using namespace in_turning_pairs;
  std::vector<double> theta, index;
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    if (!pairs[t]) continue;
    theta.push_back(*pairs[t]);
    index.push_back(static_cast<double>(t));
  }
  const std::int64_t r = params.integer("distance");
  const double scale = 1.0 / static_cast<double>(theta.size());
  VectorPlot plot = plane({-0.25, 1.0}, {-0.3, 0.5});
  std::vector<std::complex<double>> ends = phasor_chain(theta, r);
  for (std::complex<double>& end : ends) end *= scale;
  lay_head_to_tail(plot, ends, index);
  return {"chain", fmt::format("Head to tail at $r$ = {}: the real part is $L(r)/L(0)$", r),
          caption_of(params), std::move(plot)};
}

std::vector<double> wavelengths_of(const Pairs& pairs) {
  std::vector<double> wavelengths;
  for (const std::optional<double>& theta : pairs)
    wavelengths.push_back(theta ? 2 * std::numbers::pi / *theta
                                : std::numeric_limits<double>::quiet_NaN());
  return wavelengths;
}

}  // namespace orrery
