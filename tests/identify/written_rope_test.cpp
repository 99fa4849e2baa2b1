#include "experiments/identify/written_rope.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

#include "core/encodings/rope.h"
#include "core/random.h"
#include "experiments/identify/defects.h"
#include "experiments/identify/describe_rope.h"
#include "tests/support/golden.h"

using namespace orrery;

namespace {

/// One row of one head at a position.
RowPlaces at(Position position) {
  return {.heads = {0}, .rows = {0}, .positions = AxisPositions::Constant(1, 1, position)};
}

Matrix<double> turned(const WrittenRope& rope, std::initializer_list<double> x, Position position) {
  Matrix<double> row(1, rope.d_head);
  std::copy(x.begin(), x.end(), row.data());
  return apply_written(rope, at(position), row);
}

void check_row(const Matrix<double>& row, std::initializer_list<double> expected) {
  Index c = 0;
  for (const double value : expected) CHECK(row(0, c++) == Approx(value).margin(1e-12));
}

/// A rope that offers an occasion for most defects: partial, scaled, with a factor.
WrittenRope eventful() {
  return {{.d_head = 64,
           .rotary_dims = 32,
           .pairing = RopePairing::half_split,
           .base = 500000,
           .scaling = {.kind = RopeScalingKind::yarn, .factor = 8, .original_length = 64}}};
}

std::vector<WrittenRope> occasions() {
  WrittenRope llama3 = eventful();
  llama3.scaling.kind = RopeScalingKind::llama3;
  const WrittenRope proportional{{.d_head = 64,
                                  .rotary_dims = 32,
                                  .partial = RopePartial::proportional,
                                  .pairing = RopePairing::half_split,
                                  .base = 500000}};
  const WrittenRope axes{{.d_head = 64,
                          .rotary_dims = 64,
                          .pairing = RopePairing::half_split,
                          .design = AxisDesign::interleaved,
                          .sections = {12, 10, 10}}};
  return {eventful(), llama3, proportional, axes};
}

}  // namespace

TEST_CASE("By hand: one pair turned by a radian, and each way of getting it wrong") {
  const double c = std::cos(1.0), s = std::sin(1.0);
  WrittenRope rope{{.d_head = 2, .rotary_dims = 2}};
  check_row(turned(rope, {3, 5}, 1), {3 * c - 5 * s, 5 * c + 3 * s});
  rope.clockwise = true;
  check_row(turned(rope, {3, 5}, 1), {3 * c + 5 * s, 5 * c - 3 * s});
  rope.clockwise = false;
  rope.wiring = Wiring::no_negation;
  check_row(turned(rope, {3, 5}, 1), {3 * c + 5 * s, 5 * c + 3 * s});
  rope.wiring = Wiring::misprinted_last;
  check_row(turned(rope, {3, 5}, 1), {3 * c - 3 * s, 5 * c + 5 * s});
  rope.wiring = Wiring::rotation;
  rope.amplitude = 2.0;
  check_row(turned(rope, {3, 5}, 1), {6 * c - 10 * s, 10 * c + 6 * s});
}

TEST_CASE("By hand: channels of both pairings, of a table of the other one, and reordered") {
  // theta is 1 and 0.01: at position 1 the second pair hardly turns, and is told apart by it.
  const double c0 = std::cos(1.0), s0 = std::sin(1.0), c1 = std::cos(0.01), s1 = std::sin(0.01);
  WrittenRope rope{{.d_head = 4, .rotary_dims = 4, .pairing = RopePairing::half_split}};
  check_row(turned(rope, {1, 2, 3, 4}, 1),
            {c0 - 3 * s0, 2 * c1 - 4 * s1, 3 * c0 + s0, 4 * c1 + 2 * s1});
  rope.reordered = true;
  check_row(turned(rope, {1, 2, 3, 4}, 1),
            {c0 - 3 * s0, 3 * c0 + s0, 2 * c1 - 4 * s1, 4 * c1 + 2 * s1});
  rope = {{.d_head = 4, .rotary_dims = 4, .pairing = RopePairing::interleaved}};
  check_row(turned(rope, {1, 2, 3, 4}, 1),
            {c0 - 2 * s0, 2 * c0 + s0, 3 * c1 - 4 * s1, 4 * c1 + 3 * s1});
  rope.wiring = Wiring::other_table;
  check_row(turned(rope, {1, 2, 3, 4}, 1),
            {c0 - 2 * s0, 2 * c1 + 1 * s1, 3 * c0 - 4 * s0, 4 * c1 + 3 * s1});
}

TEST_CASE("By hand: positions that rules change") {
  WrittenRope rope{{.d_head = 2, .rotary_dims = 2}};
  rope.offset = 3;
  rope.from_row = 10;
  CHECK(written_position(rope, 100, 20, 5) == 103);
  rope.rule = PositionRule::zero_from;
  CHECK(written_position(rope, 100, 9, 5) == 103);
  CHECK(written_position(rope, 100, 10, 5) == 0);
  rope.rule = PositionRule::next_from;
  CHECK(written_position(rope, 100, 10, 5) == 104);
  rope.rule = PositionRule::past_twice;
  CHECK(written_position(rope, 100, 10, 5) == 113);
  rope.rule = PositionRule::head_index;
  CHECK(written_position(rope, 100, 10, 5) == 5);
}

TEST_CASE("A sound rope turns as the encoding rope does") {
  const WrittenRope rope = eventful();
  const Rope<double> encoding(rope);
  Random random(1, "vectors");
  const Matrix<double> x = normal_matrix<double>(random, 1, 64);
  Matrix<double> expected = x;
  const Positions positions{77};
  encoding.transform_queries(positions, expected);
  CHECK(test::largest_difference(apply_written(rope, at(77), x), expected) < 1e-12);
  CHECK(setting_text(rope) ==
        "encoding=rope base=500000 rope.pairing=half_split rope.fraction=0.5 rope.scaling=yarn "
        "rope.factor=8 rope.original_length=64");
}

TEST_CASE("Every defect has an occasion, changes what is computed, and says what it is") {
  Random random(2, "vectors");
  RowPlaces places{.heads = {0, 1}, .positions = AxisPositions(40, 3)};
  for (Index n = 0; n < 40; ++n) {
    places.rows.push_back(n);
    places.positions.row(n) << 3000 + 11 * n, 7 * n, 5 * n;
  }
  const Matrix<double> x = normal_matrix<double>(random, 80, 64);
  for (const RopeDefect& defect : rope_defects()) {
    INFO(defect.name);
    CHECK_FALSE(defect.description.empty());
    CHECK_FALSE(defect.source.empty());
    bool injected = false, differs = false;
    for (const WrittenRope& sound : occasions())
      if (const auto rope = defect.inject(sound, 40)) {
        injected = true;
        differs = differs || test::largest_difference(apply_written(*rope, places, x),
                                                      apply_written(sound, places, x)) > 1e-4;
      }
    CHECK(injected);
    CHECK(differs);
  }
}
