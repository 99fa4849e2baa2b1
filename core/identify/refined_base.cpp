#include "core/identify/refined_base.h"

#include <cmath>
#include <complex>

#include "core/identify/pair_phasors.h"

namespace orrery {

double refined_base(const WrittenRope& rope, const RotationSample& sample) {
  constexpr double difference = 1e-6;  // of ln base, for the derivative of frequencies
  constexpr int steps = 4;
  const PairPhasors phasors = pair_phasors(rope, sample);
  const double direction = rope.clockwise ? -1.0 : 1.0;
  WrittenRope at = rope;
  for (int step = 0; step < steps; ++step) {
    WrittenRope beside = at;
    beside.base *= 1 + difference;
    const std::vector<double> theta = frequencies_of(at), moved = frequencies_of(beside);
    double moment = 0, inertia = 0;
    for (std::size_t t = 0; t < theta.size(); ++t)
      for (Index n = 0; n < sample.rows(); ++n) {
        const auto pair = static_cast<Index>(t);
        const Index row = sample.places.rows[static_cast<std::size_t>(n)];
        const auto p = direction * static_cast<double>(written_position(
                                       rope, sample.places.positions(n, 0), row, 0));
        const double off = std::arg(phasors.turns(pair, n) * std::polar(1.0, -p * theta[t]));
        const double slope = p * (moved[t] - theta[t]) / difference;
        const double weight = phasors.weights(pair, n);
        if (std::abs(off) > 1) continue;  // a turn that is lost says nothing
        moment += weight * slope * off;
        inertia += weight * slope * slope;
      }
    if (!(inertia > 0)) break;
    const double base = at.base * std::exp(moment / inertia);
    if (!(base > 1.01) || !std::isfinite(base)) break;
    at.base = base;
  }
  return at.base;
}

}  // namespace orrery
