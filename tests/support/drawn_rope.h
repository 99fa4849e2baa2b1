#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/identify/defects.h"
#include "core/identify/frequency_families.h"
#include "core/identify/identify_rotation.h"
#include "core/random.h"
#include "core/types.h"

namespace orrery::tests {

/// A sound rope, a defect of it or none, and random vectors turned by it, rounded to bf16.
struct DrawnRope {
  WrittenRope sound{};
  WrittenRope written{};
  std::string defect{};  ///< empty: none
  Index heads{};
  AxisPositions positions{};
  Matrix<double> before{};
  Matrix<double> after{};

  RotatedTensor tensor() const {
    return {.heads = heads,
            .before = before,
            .after = after,
            .positions = positions,
            .format = Precision::bf16};
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
  WrittenRope rope{.d_head = one_of<Index>(random, {64, 96, 128})};
  rope.rotary_dims = rope.d_head;
  rope.pairing = random.integer(2) ? RopePairing::half_split : RopePairing::interleaved;
  rope.base = random.integer(4) > 0
                  ? one_of<double>(random, {1e4, 1e4, 5e5, 1e6, 1.5e5, 5e6})
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

/// The draw of that number: convention, defect, sizes and vectors all follow from it.
inline DrawnRope drawn_rope(std::int64_t number) {
  Random random(number, "a rope and its defect");
  DrawnRope draw{.sound = drawn_convention(random)};
  const Index rows = one_of<Index>(random, {48, 128, 512, 700});
  draw.heads = 1 + random.integer(4);
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
  draw.after = apply_written(draw.written, places, draw.before);
  bf16.apply<double>(Stage::qk, draw.after);
  return draw;
}

/// Whether the two turn alike but for what a fit leaves of numbers: frequencies to a part in 50,
/// the factor to a part in 500.
inline bool is_same_convention(WrittenRope a, const WrittenRope& b) {
  const std::vector<double> of_a = frequencies_of(a), of_b = frequencies_of(b);
  const auto close = [](double u, double v) { return std::abs(u - v) <= 0.02 * std::abs(v); };
  if (!std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), close)) return false;
  if (!(std::abs(amplitude_of(a) - amplitude_of(b)) <= 0.002 * amplitude_of(b))) return false;
  a.base = b.base;
  a.scaling = b.scaling;
  a.amplitude = b.amplitude;
  a.denominator = b.denominator;
  a.inverted = b.inverted;
  return computes_same(a, b);
}

/// Whether the rope is the first of the answer or one of those that are tied with it.
inline bool is_among_first(const WrittenRope& rope, const RotationAnswer& answer) {
  return std::any_of(answer.hypotheses.begin(), answer.hypotheses.end(),
                     [&](const RopeHypothesis& found) {
                       return found.tied && is_same_convention(found.rope, rope);
                     });
}

}  // namespace orrery::tests
