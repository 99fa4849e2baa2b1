// Batches whose sequences are padded at the left by different numbers of rows.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "experiments/identify/describe_rope.h"
#include "experiments/identify/rope_search.h"
#include "tests/identify/drawn_rope.h"

using namespace orrery;
using namespace orrery::tests;

namespace {

constexpr Index batch_rows = 48, sequences = 3, heads_of_each = 2, batch_width = 32;
const std::vector<Index> paddings{27, 3, 0};

/// Turned by the positions of each sequence, row by row, not by way of the rope's own rule.
DrawnRope padded_batch(Position padding) {
  DrawnRope draw{.heads = sequences * heads_of_each, .format = Precision::bf16};
  draw.sound = {{.d_head = batch_width,
                 .rotary_dims = batch_width,
                 .pairing = RopePairing::half_split,
                 .base = 500000}};
  draw.sound.rounding = fp32_stages();
  Random random(11, "a padded batch");
  draw.before =
      normal_matrix<double>(random, draw.heads * batch_rows, batch_width).unaryExpr([](double x) {
        return round_to(Precision::bf16, x);
      });
  draw.after = draw.before;
  draw.positions = AxisPositions(batch_rows, 1);
  for (Index n = 0; n < batch_rows; ++n) draw.positions(n, 0) = n;
  for (Index head = 0; head < draw.heads; ++head)
    for (Index n = 0; n < batch_rows; ++n) {
      const Index first = paddings[static_cast<std::size_t>(head / heads_of_each)];
      RowPlaces place{.heads = {0}, .rows = {0}, .positions = AxisPositions(1, 1)};
      place.positions(0, 0) = n < first ? padding : n - first;
      const Index row = head * batch_rows + n;
      draw.after.row(row) =
          apply_written(draw.sound, place, draw.before.middleRows(row, 1)).unaryExpr([](double x) {
            return round_to(Precision::bf16, x);
          });
    }
  return draw;
}

RotatedTensor batch_of(const DrawnRope& draw) {
  RotatedTensor tensor = draw.tensor();
  tensor.sequences = sequences;
  return tensor;
}

}  // namespace

TEST_CASE("The padding of each sequence of a batch is named") {
  const DrawnRope draw = padded_batch(1);  // what Transformers fills masked positions with
  const RotationAnswer answer = identify_rotation({.tensor = batch_of(draw)});
  CHECK(answer.explained);
  CHECK(answer.best().rope.paddings == paddings);
  CHECK(short_text(answer.best().rope) ==
        "half_split pairs; base 500000; positions count from the first token of each sequence of "
        "the batch, rows of padding at position 1: 27 in sequence 0, 3 in sequence 1, 0 in "
        "sequence 2");
}

TEST_CASE("Beside what is expected, the paddings of a batch are all that deviates") {
  const DrawnRope draw = padded_batch(0);
  const RotationAnswer answer =
      identify_rotation({.tensor = batch_of(draw), .expected = draw.sound});
  CHECK(answer.explained);
  const auto differences = differences_of(draw.sound, answer.best().rope);
  REQUIRE(differences.size() == 1);
  CHECK(differences.front().field == "positions");
  CHECK(differences.front().b ==
        "count from the first token of each sequence of the batch, rows of padding: 27 in "
        "sequence 0, 3 in sequence 1, 0 in sequence 2");
}

TEST_CASE("A head that does not turn is not taken for padding") {
  DrawnRope draw = padded_batch(0);
  draw.after.topRows(heads_of_each * batch_rows) = draw.before.topRows(heads_of_each * batch_rows);
  CHECK_FALSE(identify_rotation({.tensor = batch_of(draw)}).explained);
}

TEST_CASE("A batch without padding is explained by the rope alone") {
  DrawnRope draw = padded_batch(0);
  draw.after = draw.before;
  RotatedTensor tensor = batch_of(draw);
  CHECK(identify_rotation({.tensor = tensor}).best().rope.paddings.empty());
}
