#include "experiments/search/deviations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace orrery {
namespace {

bool same_scaling(const RopeScaling& a, const RopeScaling& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == RopeScalingKind::none) return true;
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
using Part = void (*)(WrittenRope& rope, const WrittenRope& expected);

/// A factor is the number that it is, whatever the scaling would have.
void take_factor(WrittenRope& rope, double amplitude) {
  rope.amplitude.reset();
  if (amplitude_of(rope) != amplitude) rope.amplitude = amplitude;
}

constexpr std::array<Part, 7> parts{
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

}  // namespace

bool is_coarser_than_fp32(Precision format) {
  return unit_roundoff(format) > unit_roundoff(Precision::fp32);
}

bool is_coarse(const StageRounding& rounding, Stage stage, Precision tensor) {
  const Precision format = rounding.format(stage);
  return is_coarser_than_fp32(format) &&
         (stage != Stage::cos_sin || unit_roundoff(format) > unit_roundoff(tensor));
}

int deviations(const WrittenRope& expected, const WrittenRope& rope, Precision tensor) {
  int count = 0;
  const auto see = [&](bool same) { count += same ? 0 : 1; };
  see(rope.base == expected.base);
  see(same_scaling(rope.scaling, expected.scaling));
  see(same_factor(rope, expected));
  see(channels_of(rope) == channels_of(expected));
  see(exponents_of(rope) == exponents_of(expected));
  see(rope.pairing == expected.pairing);
  see(rope.wiring == expected.wiring);
  see(rope.clockwise == expected.clockwise);
  see(rope.reordered == expected.reordered);
  see(rope.sections == expected.sections && rope.design == expected.design);
  see(rope.rule == expected.rule);
  see(rope.offset == expected.offset);
  for (const Stage stage : {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin})
    see(!is_coarse(rope.rounding, stage, tensor) ||
        rope.rounding.format(stage) == expected.rounding.format(stage));
  return count;
}

std::vector<WrittenRope> with_expected_parts(const WrittenRope& rope, const WrittenRope& expected) {
  std::vector<WrittenRope> found;
  constexpr unsigned all = 1U << parts.size();
  for (unsigned chosen = 1; chosen < all; ++chosen) {
    WrittenRope with = rope;
    for (std::size_t part = 0; part < parts.size(); ++part)
      if ((chosen & (1U << part)) != 0) parts[part](with, expected);
    with.sections = expected.sections;
    with.design = expected.design;
    found.push_back(std::move(with));
  }
  return found;
}

}  // namespace orrery
