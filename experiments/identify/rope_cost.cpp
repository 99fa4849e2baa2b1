#include "experiments/identify/rope_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

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
  if (s.kind == RopeScalingKind::factors) return cost + 4.0;
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

/// Whether a section of an interleaved design has more pairs than its stride reaches.
bool reaches_past_end(const WrittenRope& rope) {
  const auto axes = static_cast<Index>(rope.sections.size());
  for (Index axis = 1; axis < axes; ++axis)
    if (axis + axes * (rope.sections[static_cast<std::size_t>(axis)] - 1) >= pairs_of(rope))
      return true;
  return false;
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
  if (rope.design == AxisDesign::interleaved && reaches_past_end(rope)) cost += 0.3;
  if (!rope.axis_order.empty()) cost += 0.4;
  if (rope.series != AxisSeries::designed) cost += 0.5;
  if (rope.denominator != 0) cost += 1.2;
  if (rope.inverted) cost += 1.5;
  if (rope.unit != AngleUnit::radians) cost += 1.5;
  return cost;
}

bool same_scaling(const RopeScaling& a, const RopeScaling& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == RopeScalingKind::none) return true;
  const auto stretched = [](const RopeScaling& s) {
    return s.kind == RopeScalingKind::dynamic_ntk
               ? std::max<double>(s.length, s.original_length)
               : static_cast<double>(s.length > s.original_length);
  };
  const bool by_length =
      a.kind == RopeScalingKind::dynamic_ntk || a.kind == RopeScalingKind::longrope;
  if (by_length && stretched(a) != stretched(b)) return false;
  const auto key = [](const RopeScaling& s) {
    return std::tie(s.factor, s.original_length, s.beta_fast, s.beta_slow, s.truncate,
                    s.low_freq_factor, s.high_freq_factor, s.factors, s.long_factors);
  };
  return key(a) == key(b);
}

bool same_factor(const WrittenRope& a, const WrittenRope& b) {
  constexpr double near = 1e-9;
  const bool everywhere = a.reach == b.reach || amplitude_of(a) == 1;
  return everywhere && std::abs(amplitude_of(a) - amplitude_of(b)) <= near * amplitude_of(b);
}

/// Fields that belong together, of a constant rope to compare and of another to set.
template <class Rope>
auto channels_of(Rope& rope) {
  return std::tie(rope.begin, rope.rotary_dims, rope.partial);
}
template <class Rope>
auto turning_of(Rope& rope) {
  return std::tie(rope.pairing, rope.wiring, rope.clockwise, rope.reordered);
}
template <class Rope>
auto exponents_of(Rope& rope) {
  return std::tie(rope.denominator, rope.inverted, rope.unit);
}
template <class Rope>
auto positions_of(Rope& rope) {
  return std::tie(rope.rule, rope.offset, rope.from_row, rope.starts, rope.padding, rope.paddings,
                  rope.heads_of_sequence);
}

/// What is taken from the expected rope together.
using ExpectedPart = void (*)(WrittenRope& rope, const WrittenRope& expected);

/// A factor is the number that it is, whatever the scaling would have.
void take_factor(WrittenRope& rope, double amplitude) {
  rope.amplitude.reset();
  if (amplitude_of(rope) != amplitude) rope.amplitude = amplitude;
}

constexpr std::array<ExpectedPart, 7> expected_parts{
    [](WrittenRope& r, const WrittenRope& e) { r.base = e.base; },
    [](WrittenRope& r, const WrittenRope& e) {
      const double amplitude = amplitude_of(r);
      r.scaling = e.scaling;
      take_factor(r, amplitude);
    },
    [](WrittenRope& r, const WrittenRope& e) {
      channels_of(r) = channels_of(e);
      exponents_of(r) = exponents_of(e);
    },
    [](WrittenRope& r, const WrittenRope& e) { turning_of(r) = turning_of(e); },
    [](WrittenRope& r, const WrittenRope& e) {
      take_factor(r, amplitude_of(e));
      r.reach = e.reach;
    },
    [](WrittenRope& r, const WrittenRope& e) { positions_of(r) = positions_of(e); },
    [](WrittenRope& r, const WrittenRope&) {
      r.rounding = {Precision::fp32, {Stage::inv_freq, Stage::angle, Stage::cos_sin}};
    },
};

/// Those that no number makes up for.
int deviations_of_kind(const WrittenRope& expected, const WrittenRope& rope, Precision tensor) {
  int count = 0;
  const auto see = [&](bool same) { count += same ? 0 : 1; };
  see(rope.pairing == expected.pairing);
  see(rope.wiring == expected.wiring);
  see(rope.clockwise == expected.clockwise);
  see(rope.reordered == expected.reordered);
  see(rope.sections == expected.sections && rope.design == expected.design &&
      rope.series == expected.series && rope.axis_order == expected.axis_order);
  see(rope.rule == expected.rule);
  see(rope.offset == expected.offset);
  for (const Stage stage : {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin})
    see(!is_coarse(rope.rounding, stage, tensor) ||
        rope.rounding.format(stage) == expected.rounding.format(stage));
  return count;
}

}  // namespace

const std::vector<double>& known_bases() {
  static const std::vector<double> bases{100,     1000,     10000,    26000,   100000,  150000,
                                         160000,  500000,   600000,   1000000, 2000000, 5000000,
                                         8000000, 10000000, 11158840, 12000000};
  return bases;
}

const std::vector<double>& known_factors() {
  static const std::vector<double> factors{1.5, 2, 4, 8, 10, 16, 20, 32, 40, 64, 128, 256, 1024};
  return factors;
}

const std::vector<double>& known_lengths() {
  static const std::vector<double> lengths{512,   1024,  2048,   4096,   8192,   16384,
                                           32768, 65536, 131072, 262144, 524288, 1048576};
  return lengths;
}

bool is_known(const std::vector<double>& list, double value) {
  return std::any_of(list.begin(), list.end(),
                     [&](double known) { return std::abs(known - value) <= 1e-9 * known; });
}

double rounded_to_digits(double value, int digits) {
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

double with_few_digits(double value, double tolerance) {
  constexpr int most = 12;
  for (int digits = 1; digits < most; ++digits) {
    const double rounded = rounded_to_digits(value, digits);
    if (std::abs(rounded - value) <= tolerance * value) return rounded;
  }
  return value;
}

double cost_of(const WrittenRope& rope) {
  double cost = cost_of_numbers(rope) + cost_of_channels(rope) + cost_of_formats(rope.rounding);
  const bool usual = is_known(known_bases(), rope.base) &&
                     (rope.scaling.factor == 1 || is_known(known_factors(), rope.scaling.factor));
  if (!usual && is_coarser_than_fp32(rope.rounding.format(Stage::inv_freq))) cost += 3;
  if (rope.rule != PositionRule::stated) cost += 1.5;
  if (rope.offset != 0) cost += 1.2;
  if (rope.amplitude) cost += 1.0;
  if (rope.reach == FactorReach::all) cost += 1.0;
  return cost;
}

bool is_coarser_than_fp32(Precision format) {
  return unit_roundoff(format) > unit_roundoff(Precision::fp32);
}

bool is_coarse(const StageRounding& rounding, Stage stage, Precision tensor) {
  const Precision format = rounding.format(stage);
  return is_coarser_than_fp32(format) &&
         (stage != Stage::cos_sin || unit_roundoff(format) > unit_roundoff(tensor));
}

int deviations(const WrittenRope& expected, const WrittenRope& rope, Precision tensor) {
  int count = deviations_of_kind(expected, rope, tensor);
  const auto see = [&](bool same) { count += same ? 0 : 1; };
  see(rope.base == expected.base);
  see(same_scaling(rope.scaling, expected.scaling));
  see(same_factor(rope, expected));
  see(channels_of(rope) == channels_of(expected));
  see(exponents_of(rope) == exponents_of(expected));
  return count;
}

bool differ_in_numbers(const WrittenRope& expected, const WrittenRope& rope, Precision tensor) {
  return deviations_of_kind(expected, rope, tensor) == 0;
}

std::vector<WrittenRope> with_expected_parts(const WrittenRope& rope, const WrittenRope& expected) {
  std::vector<WrittenRope> found;
  constexpr unsigned all = 1U << expected_parts.size();
  for (unsigned chosen = 1; chosen < all; ++chosen) {
    WrittenRope with = rope;
    for (std::size_t part = 0; part < expected_parts.size(); ++part)
      if ((chosen & (1U << part)) != 0) expected_parts[part](with, expected);
    with.sections = expected.sections;
    with.design = expected.design;
    const std::size_t listed = with.scaling.factors.size();
    if (listed == 0 || listed == static_cast<std::size_t>(pairs_of(with)))
      found.push_back(std::move(with));
  }
  return found;
}

}  // namespace orrery
