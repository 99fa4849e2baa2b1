// Slow pairs that bf16 shows unturned: a part of the head fits as well as the whole.
#include <catch2/catch.hpp>

#include "experiments/identify/describe_rope.h"
#include "experiments/identify/rope_search.h"
#include "tests/identify/drawn_rope.h"

using namespace orrery;
using namespace orrery::tests;

TEST_CASE("Where a part of the head seems to turn, the whole one is tried with a known base") {
  constexpr Index heads = 3, rows = 40, d = 80;
  WrittenRope rope{
      {.d_head = d, .rotary_dims = d, .pairing = RopePairing::interleaved, .base = 5e6}};
  rope.rounding = fp32_stages();
  rope.rounding.set(Stage::cos_sin, Precision::bf16);
  const auto in_bf16 = [](double x) { return round_to(Precision::bf16, x); };
  for (const std::int64_t seed : {5, 6}) {
    Random random(seed, "slow pairs");
    const Matrix<double> before = normal_matrix<double>(random, heads * rows, d).unaryExpr(in_bf16);
    RowPlaces places{.heads = {0, 1, 2}, .rows = {}, .positions = AxisPositions(rows, 1)};
    for (Index n = 0; n < rows; ++n) {
      places.positions(n, 0) = n;
      places.rows.push_back(n);
    }
    const Matrix<double> after = apply_written(rope, places, before).unaryExpr(in_bf16);
    const RotationAnswer answer = identify_rotation({.tensor = {.heads = heads,
                                                                .before = before,
                                                                .after = after,
                                                                .positions = places.positions,
                                                                .format = Precision::bf16}});
    INFO(seed << ": " << short_text(answer.best().rope));
    CHECK(answer.best().rope.rotary_dims == d);
    CHECK(answer.best().rope.base == 5e6);
  }
}
