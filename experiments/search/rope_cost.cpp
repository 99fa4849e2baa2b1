#include "experiments/search/rope_cost.h"

#include <cmath>

#include "experiments/search/deviations.h"
#include "experiments/search/known_numbers.h"

namespace orrery {
namespace {

/// Decimal digits that a number needs, at most 17.
int digits_of(double value) {
  for (int digits = 1; digits < 17; ++digits)
    if (std::abs(rounded_to_digits(value, digits) - value) <= 1e-12 * value) return digits;
  return 17;
}

double cost_of_numbers(const WrittenRope& rope) {
  double cost = 0;
  if (rope.base != 10000)
    cost += is_known(known_bases(), rope.base) ? 0.1 : 1.5 + 0.2 * digits_of(rope.base);
  const RopeScaling& s = rope.scaling;
  if (s.kind == RopeScalingKind::none) return cost;
  cost += 1.0;
  if (!is_known(known_factors(), s.factor)) cost += 1.5;
  if (s.kind == RopeScalingKind::ntk_by_parts) cost += 1.0;
  if (!s.truncate) cost += 0.5;
  if (s.kind == RopeScalingKind::linear || s.kind == RopeScalingKind::ntk) return cost;
  if (!is_known(known_lengths(), s.original_length)) cost += 1.5;
  return cost;
}

double cost_of_formats(const StageRounding& rounding) {
  double cost = 0;
  if (rounding.format(Stage::angle) == Precision::fp64) cost += 0.2;
  for (const Stage stage : {Stage::position, Stage::inv_freq, Stage::angle})
    if (is_coarser_than_fp32(rounding.format(stage))) cost += 1.5;
  if (is_coarser_than_fp32(rounding.format(Stage::cos_sin))) cost += 0.5;
  return cost;
}

double cost_of_channels(const WrittenRope& rope) {
  double cost = rope.pairing == RopePairing::half_split ? 0.0 : 0.1;
  if (rope.partial == RopePartial::proportional) cost += 0.6;
  if (rope.rotary_dims < rope.d_head) cost += 0.4;
  if (rope.begin > 0) cost += 0.3;
  if (rope.wiring != Wiring::rotation) cost += 1.6;
  if (rope.reordered) cost += 1.5;
  if (rope.clockwise) cost += 1.0;
  if (rope.unbounded_stride) cost += 1.0;
  if (rope.denominator != 0) cost += 1.2;
  if (rope.inverted) cost += 1.5;
  if (rope.unit != AngleUnit::radians) cost += 1.5;
  return cost;
}

}  // namespace

double cost_of(const WrittenRope& rope) {
  double cost = cost_of_numbers(rope) + cost_of_channels(rope) + cost_of_formats(rope.rounding);
  if (rope.rule != PositionRule::stated) cost += 1.5;
  if (rope.offset != 0) cost += 1.2;
  if (rope.amplitude) cost += 1.0;
  if (rope.reach == FactorReach::all) cost += 1.0;
  return cost;
}

}  // namespace orrery
