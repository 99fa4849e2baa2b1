// Factors that are measured of a tensor: as exact as the tensor is, and by name where they have
// one.
#include <catch2/catch.hpp>
#include <cmath>

#include "experiments/identify/defects.h"
#include "experiments/identify/describe_rope.h"
#include "experiments/identify/rope_search.h"
#include "tests/identify/drawn_rope.h"

using namespace orrery;
using namespace orrery::tests;

namespace {

constexpr Index factor_rows = 64;

/// Random vectors of 80 channels in bf16, turned by the rope and rounded to fp32.
DrawnRope turned(const WrittenRope& rope) {
  DrawnRope draw{.sound = rope, .written = rope, .heads = 2, .format = Precision::fp32};
  Random random(7, "factors");
  draw.before = normal_matrix<double>(random, 2 * factor_rows, rope.d_head).unaryExpr([](double x) {
    return round_to(Precision::bf16, x);
  });
  draw.positions = AxisPositions(factor_rows, 1);
  RowPlaces places{.heads = {0, 1}};
  for (Index n = 0; n < factor_rows; ++n) {
    draw.positions(n, 0) = n;
    places.rows.push_back(n);
  }
  places.positions = draw.positions;
  draw.after = apply_written(rope, places, draw.before).unaryExpr([](double x) {
    return round_to(Precision::fp32, x);
  });
  return draw;
}

WrittenRope llama_of(double amplitude) {
  WrittenRope rope{
      {.d_head = 80, .rotary_dims = 80, .pairing = RopePairing::half_split, .base = 500000}};
  rope.amplitude = amplitude;
  rope.rounding = fp32_stages();
  return rope;
}

}  // namespace

TEST_CASE("A scale that is folded into q is named, and leaves no more than roundings of fp32") {
  const DrawnRope draw = turned(llama_of(1 / std::sqrt(80.0)));
  const RotationAnswer answer = identify_rotation({.tensor = draw.tensor()});
  CHECK(answer.explained);
  CHECK_FALSE(answer.explained_by_angles);
  CHECK(short_text(answer.best().rope) == "half_split pairs; base 500000; attention factor 1/√80");
}

TEST_CASE("A factor of fp32 is told with all of the digits that it has") {
  const DrawnRope draw = turned(llama_of(0.1118034));
  const RotationAnswer answer = identify_rotation({.tensor = draw.tensor()});
  CHECK_FALSE(answer.explained_by_angles);
  const DrawnRope other = turned(llama_of(0.7312345));
  const RotationAnswer with_digits = identify_rotation({.tensor = other.tensor()});
  CHECK_FALSE(with_digits.explained_by_angles);
  CHECK(short_text(with_digits.best().rope) ==
        "half_split pairs; base 500000; attention factor 0.7312345");
}

TEST_CASE("What is not rotated has no attention factor either") {
  WrittenRope sound = llama_of(1.0);
  sound.amplitude.reset();
  sound.scaling = {.kind = RopeScalingKind::yarn, .factor = 16, .original_length = 256};
  const auto still = find_rope_defect("not_rotated").inject(sound, factor_rows);
  REQUIRE(still);
  DrawnRope draw = turned(*still);
  CHECK(draw.after == draw.before);
  const RotationAnswer answer = identify_rotation({.tensor = draw.tensor(), .expected = sound});
  CHECK(answer.best().defect == "not_rotated");
}
