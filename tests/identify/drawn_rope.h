#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "core/random.h"
#include "core/types.h"
#include "experiments/identify/defects.h"
#include "experiments/identify/identify_rotation.h"
#include "experiments/identify/structures.h"

namespace orrery::tests {

using namespace orrery;

/// A sound rope, a defect of it or none, and random vectors in bf16 turned by it, rounded to the
/// format.
struct DrawnRope {
  WrittenRope sound{};
  WrittenRope written{};
  std::string defect{};  ///< empty: none
  Index heads{};
  AxisPositions positions{};
  Matrix<double> before{};
  Matrix<double> after{};
  Precision format{Precision::bf16};

  RotatedTensor tensor() const {
    return {
        .heads = heads, .before = before, .after = after, .positions = positions, .format = format};
  }
};

template <class T>
const T& one_of(Random& random, const std::vector<T>& list) {
  return list[static_cast<std::size_t>(random.integer(static_cast<std::int64_t>(list.size())))];
}

inline RopeScaling drawn_scaling(Random& random) {
  using enum RopeScalingKind;
  RopeScaling scaling{.kind = one_of<RopeScalingKind>(
                          random, {none, none, linear, ntk, yarn, yarn, llama3, llama3}),
                      .factor = one_of<double>(random, {2, 4, 8, 16, 32}),
                      .original_length = one_of<double>(random, {2048, 4096, 8192, 32768})};
  if (scaling.kind == yarn) scaling.truncate = random.integer(4) > 0;
  return scaling;
}

/// Most models' RoPE, partial RoPE at either end, p-RoPE, or M-RoPE; known bases and others.
inline WrittenRope drawn_convention(Random& random) {
  WrittenRope rope{{.d_head = one_of<Index>(random, {64, 96, 128})}};
  rope.rotary_dims = rope.d_head;
  rope.pairing = random.integer(2) ? RopePairing::half_split : RopePairing::interleaved;
  rope.base = random.integer(8) > 0 ? one_of<double>(random, {1e4, 1e4, 5e5, 1e6, 1.5e5, 5e6})
                                    : std::round(1e3 * std::pow(1e4, random.uniform()));
  rope.rounding = {Precision::fp32, {Stage::inv_freq, Stage::angle, Stage::cos_sin}};
  const std::int64_t kind = random.integer(10);
  if (kind == 0) {
    rope.partial = RopePartial::proportional;
    rope.rotary_dims = rope.d_head / 4;
  } else if (kind == 1) {
    rope.sections = {rope.d_head / 8, rope.d_head / 16 * 3, rope.d_head / 16 * 3};
    if (random.integer(2)) {
      rope.design = AxisDesign::interleaved;
      const Index pairs = rope.d_head / 2, part = pairs * 20 / 64;
      rope.sections = {pairs - 2 * part, part, part};
    }
  } else {
    if (kind < 4) rope.rotary_dims = random.integer(2) ? rope.d_head / 2 : rope.d_head / 4;
    if (random.integer(3) == 0) rope.begin = rope.d_head - rope.rotary_dims;
    rope.scaling = drawn_scaling(random);
  }
  return rope;
}

inline void draw_defect(Random& random, Index rows, DrawnRope& draw) {
  draw.written = draw.sound;
  if (random.integer(5) == 0) return;
  for (int tries = 0; tries < 100; ++tries) {
    const RopeDefect& defect = one_of(random, rope_defects());
    const auto rope = defect.inject(draw.sound, rows);
    if (!rope) continue;
    draw.written = *rope;
    draw.defect = defect.name;
    return;
  }
}

/// The rope as a library computes it that does not round frequencies as ours does.
inline WrittenRope by_another_library(WrittenRope rope) {
  if (rope.rounding.format(Stage::inv_freq) == Precision::fp32)
    rope.rounding.set(Stage::inv_freq, Precision::fp64);
  return rope;
}

/// The draw of that number: convention, defect, sizes and vectors all follow from it.
inline DrawnRope drawn_rope(std::int64_t number, Precision format = Precision::bf16) {
  Random random(number, "a rope and its defect");
  DrawnRope draw{.sound = drawn_convention(random), .format = format};
  const Index rows = one_of<Index>(random, {48, 128, 512, 700});
  draw.heads = 2 + random.integer(3);
  draw_defect(random, rows, draw);
  const Position first = random.integer(4) == 0 ? random.integer(20000) : 0;
  const bool has_axes = !draw.sound.sections.empty();
  draw.positions.resize(rows, has_axes ? 3 : 1);
  for (Index n = 0; n < rows; ++n) {
    draw.positions(n, 0) = first + n;
    if (has_axes) draw.positions.row(n) << n / 64, n / 8 % 8, n % 8;
  }
  const StageRounding bf16(Precision::bf16, {Stage::qk});
  draw.before = normal_matrix<double>(random, draw.heads * rows, draw.sound.d_head);
  bf16.apply<double>(Stage::qk, draw.before);
  RowPlaces places{.positions = draw.positions};
  for (Index h = 0; h < draw.heads; ++h) places.heads.push_back(h);
  for (Index n = 0; n < rows; ++n) places.rows.push_back(n);
  draw.after =
      apply_written(format == Precision::fp32 ? by_another_library(draw.written) : draw.written,
                    places, draw.before);
  StageRounding(format, {Stage::qk}).apply<double>(Stage::qk, draw.after);
  return draw;
}

/// The frequencies by the channels that they turn; pairs that stay are left out.
inline std::map<std::vector<Index>, double> turned_channels(const WrittenRope& rope) {
  const std::vector<double> theta = frequencies_of(rope);
  std::map<std::vector<Index>, double> turned;
  for (Index t = 0; t < pairs_of(rope); ++t) {
    const WrittenPair at = pair_at(rope, t);
    // Positions that count twice are frequencies that are twice as large.
    const double frequency =
        theta[static_cast<std::size_t>(t)] * (rope.rule == PositionRule::doubled ? 2 : 1);
    if (frequency != 0) turned[{at.a, at.b, at.out_a, at.out_b}] = frequency;
  }
  return turned;
}

/// The axis of each pair: sections of other names may divide the pairs alike, and positions that
/// are the number of the head have one axis.
inline std::vector<std::size_t> axes_by_pair(const WrittenRope& rope) {
  const bool one_axis = rope.sections.empty() || rope.rule == PositionRule::head_index;
  return one_axis ? std::vector<std::size_t>{} : axes_of(rope, rope.sections.size());
}

/// Whether the two turn alike but for what a fit leaves of numbers: frequencies to a part in 50,
/// the factor to a part in 500; exact and fp32 stages count as one.
inline bool is_same_convention(const WrittenRope& a, const WrittenRope& b) {
  const bool same_factor = std::abs(amplitude_of(a) - amplitude_of(b)) <= 0.002 * amplitude_of(b);
  if (a.rule == PositionRule::none || b.rule == PositionRule::none)
    return a.rule == b.rule && same_factor;
  const auto of_a = turned_channels(a), of_b = turned_channels(b);
  const bool same_turns = std::equal(
      of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), [](const auto& u, const auto& v) {
        return u.first == v.first && std::abs(u.second - v.second) <= 0.02 * v.second;
      });
  const auto key = [](const WrittenRope& r) {
    const auto coarse = [&](Stage stage) {
      return larger(unit_roundoff(r.rounding.format(stage)), unit_roundoff(Precision::fp32));
    };
    const PositionRule rule = r.rule == PositionRule::doubled ? PositionRule::stated : r.rule;
    return std::make_tuple(r.wiring, r.clockwise, r.reach, rule, r.offset, r.from_row,
                           axes_by_pair(r), coarse(Stage::position), coarse(Stage::inv_freq),
                           coarse(Stage::angle), coarse(Stage::cos_sin));
  };
  return same_turns && key(a) == key(b) && same_factor;
}

/// Whether the rope is the first of the answer or one of those that are tied with it.
inline bool is_among_first(const WrittenRope& rope, const RotationAnswer& answer) {
  return std::any_of(answer.hypotheses.begin(), answer.hypotheses.end(),
                     [&](const RopeHypothesis& found) {
                       return found.tied && is_same_convention(found.rope, rope);
                     });
}

}  // namespace orrery::tests
