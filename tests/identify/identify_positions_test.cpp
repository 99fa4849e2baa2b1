// Positions that a format holds, and tables as coarse as the tensor, are no deviation.
#include <catch2/catch.hpp>

#include "experiments/identify/identify_rotation.h"
#include "experiments/identify/rope_search.h"
#include "tests/identify/drawn_rope.h"

using namespace orrery;
using namespace orrery::tests;

namespace {

constexpr Index yarn_rows = 160, yarn_width = 64;

/// YaRN by 32 from 256 tokens with tables of bf16, at positions from 7 on.
DrawnRope yarn_in_bf16() {
  DrawnRope draw{.heads = 1, .format = Precision::bf16};
  draw.sound = {{.d_head = yarn_width,
                 .rotary_dims = yarn_width,
                 .pairing = RopePairing::half_split,
                 .base = 31415}};
  draw.sound.rounding = fp32_stages();
  draw.sound.scaling = {.kind = RopeScalingKind::yarn, .factor = 32, .original_length = 256};
  draw.written = draw.sound;
  draw.written.rounding.set(Stage::cos_sin, Precision::bf16);
  Random random(13, "tables of bf16");
  const auto in_bf16 = [](double x) { return round_to(Precision::bf16, x); };
  draw.before = normal_matrix<double>(random, yarn_rows, yarn_width).unaryExpr(in_bf16);
  RowPlaces places{.heads = {0}, .rows = {}, .positions = AxisPositions(yarn_rows, 1)};
  for (Index n = 0; n < yarn_rows; ++n) {
    places.positions(n, 0) = n + 7;
    places.rows.push_back(n);
  }
  draw.positions = places.positions;
  draw.after = apply_written(draw.written, places, draw.before).unaryExpr(in_bf16);
  return draw;
}

}  // namespace

TEST_CASE("Positions that bf16 holds are not said to be bf16") {
  const DrawnRope draw = yarn_in_bf16();
  const RotationQuestion question{.tensor = draw.tensor()};
  HypothesisList list(question);
  WrittenRope coarse = draw.sound;
  coarse.rounding.set(Stage::position, Precision::bf16);
  list.add(coarse, "positions_bf16");
  CHECK(list.found().empty());
  DrawnRope far = draw;
  far.positions(yarn_rows - 1, 0) = 257;
  const RotationQuestion beyond{.tensor = far.tensor()};
  HypothesisList other(beyond);
  other.add(coarse, "positions_bf16");
  CHECK(other.found().size() == 1);
}

TEST_CASE("Tables as coarse as the tensor are expected, whatever the base") {
  const DrawnRope draw = yarn_in_bf16();
  const RotationAnswer answer =
      identify_rotation({.tensor = draw.tensor(), .expected = draw.sound});
  CHECK(answer.best().is_expected);
  CHECK(answer.best().rope.rounding.format(Stage::cos_sin) == Precision::bf16);
}

TEST_CASE(
    "A past that is counted twice is found in fp32 whose frequencies another library rounded") {
  constexpr Index row = 57;
  WrittenRope twice{{.d_head = yarn_width,
                     .rotary_dims = yarn_width,
                     .pairing = RopePairing::half_split,
                     .base = 150000}};
  const WrittenRope sound = twice;
  twice.rule = PositionRule::past_twice;
  twice.from_row = row;
  twice.rounding = {Precision::fp32, {Stage::angle, Stage::cos_sin}};
  Random random(17, "a past counted twice");
  const Matrix<double> before = normal_matrix<double>(random, yarn_rows, yarn_width);
  RowPlaces places{.heads = {0}, .rows = {}, .positions = AxisPositions(yarn_rows, 1)};
  for (Index n = 0; n < yarn_rows; ++n) {
    places.positions(n, 0) = n;
    places.rows.push_back(n);
  }
  const Matrix<double> after = apply_written(twice, places, before).unaryExpr([](double x) {
    return round_to(Precision::fp32, x);
  });
  const RotationAnswer answer = identify_rotation(
      {.tensor = {.before = before, .after = after, .positions = places.positions},
       .expected = sound});
  CHECK(answer.explained);
  CHECK(answer.best().rope.rule == PositionRule::past_twice);
  CHECK(answer.best().rope.from_row == row);
}
