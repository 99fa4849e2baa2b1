#include "experiments/identify/identify_rotation.h"

#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <string>

#include "core/errors.h"
#include "experiments/identify/describe_rope.h"
#include "experiments/identify/telling_input.h"
#include "tests/identify/drawn_rope.h"
#include "tests/support/sampled.h"

using namespace orrery;
using namespace orrery::tests;

namespace {

/// How many draws were made of a kind, and were found without and with what was expected.
struct Tally {
  int draws{0};
  int found{0};
  int named{0};
};

bool names(const RotationAnswer& answer, const std::string& defect) {
  return std::any_of(
      answer.hypotheses.begin(), answer.hypotheses.end(), [&](const RopeHypothesis& found) {
        return found.tied && (defect.empty() ? found.is_expected : found.defect == defect);
      });
}

std::string table_of(const std::map<std::string, Tally>& tallies) {
  std::string text = fmt::format("{:28}{:>8}{:>8}{:>8}\n", "defect", "draws", "found", "named");
  for (const auto& entry : tallies)
    text += fmt::format("{:28}{:8}{:8}{:8}\n", entry.first, entry.second.draws, entry.second.found,
                        entry.second.named);
  return text;
}

/// ORRERY_DRAWS=500 makes as many draws as the claim is about and prints their table: 498 are found
/// without, and 500 named with what was expected.
int draws_wanted() {
  const char* wanted = std::getenv("ORRERY_DRAWS");
  return wanted ? std::atoi(wanted) : 14;
}

bool is_drawn(int number) {
  return std::getenv("ORRERY_DRAWS") || test::is_tried(static_cast<std::size_t>(number));
}

}  // namespace

TEST_CASE(
    "Of conventions and defects drawn at random, 96 % are found in bf16 noise, 99 % by name") {
  std::map<std::string, Tally> tallies;
  Tally all;
  for (int number = 0; number < draws_wanted(); ++number) {
    if (!is_drawn(number)) continue;
    const DrawnRope draw = drawn_rope(number);
    const RotatedTensor tensor = draw.tensor();
    const bool found = is_among_first(draw.written, identify_rotation({.tensor = tensor}));
    const bool named =
        names(identify_rotation({.tensor = tensor, .expected = draw.sound}), draw.defect);
    for (Tally* tally : {&all, &tallies[draw.defect.empty() ? "none" : draw.defect]}) {
      ++tally->draws;
      tally->found += found ? 1 : 0;
      tally->named += named ? 1 : 0;
    }
    if (!found || !named)
      UNSCOPED_INFO("draw " << number << " " << draw.defect << ": " << short_text(draw.written));
  }
  if (std::getenv("ORRERY_DRAWS")) WARN(table_of(tallies));
  CHECK(all.found >= 0.96 * all.draws);
  CHECK(all.named >= 0.99 * all.draws);
}

TEST_CASE("In fp32 whose frequencies another library rounded, 97 % of the draws are found") {
  const int draws = (draws_wanted() + 1) / 2;
  int found = 0, tried = 0;
  for (int number = 0; number < draws; ++number) {
    if (!is_drawn(number)) continue;
    ++tried;
    const DrawnRope draw = drawn_rope(number, Precision::fp32);
    const RotationAnswer answer = identify_rotation({.tensor = draw.tensor()});
    if (answer.explained && is_among_first(draw.written, answer))
      ++found;
    else
      UNSCOPED_INFO("draw " << number << " " << draw.defect << ": " << short_text(draw.written));
  }
  CHECK(found >= 0.97 * tried);
}

TEST_CASE("A base of more digits does not make up for frequencies that another library rounded") {
  DrawnRope draw = drawn_rope(3, Precision::fp32);
  constexpr Index rows = 4096, d = 64;
  draw.sound = draw.written = {
      {.d_head = d, .rotary_dims = d, .pairing = RopePairing::half_split, .base = 10000}};
  draw.written.rounding = {Precision::fp32, {Stage::angle, Stage::cos_sin}};
  draw.heads = 1;
  Random random(3, "many rows");
  draw.before = normal_matrix<double>(random, rows, d);
  draw.positions = AxisPositions(rows, 1);
  RowPlaces places{.heads = {0}};
  for (Index n = 0; n < rows; ++n) {
    draw.positions(n, 0) = n;
    places.rows.push_back(n);
  }
  places.positions = draw.positions;
  draw.after = apply_written(draw.written, places, draw.before);
  const RotationAnswer answer = identify_rotation({.tensor = draw.tensor()});
  CHECK(answer.explained);
  CHECK(answer.explained_by_angles);
  CHECK(answer.best().rope.base == 10000);
}

TEST_CASE("Any number of threads gives the same answer to the bit") {
  if (!test::is_tried(5)) return;
  const DrawnRope draw = drawn_rope(4);
  const RotationAnswer alone = identify_rotation({.tensor = draw.tensor()});
  const RotationAnswer together = identify_rotation({.tensor = draw.tensor(), .threads = 3});
  REQUIRE(alone.hypotheses.size() == together.hypotheses.size());
  for (std::size_t i = 0; i < alone.hypotheses.size(); ++i) {
    const RopeHypothesis &a = alone.hypotheses[i], &b = together.hypotheses[i];
    CHECK(short_text(a.rope) == short_text(b.rope));
    CHECK(a.residual.sum_of_squares == b.residual.sum_of_squares);
    CHECK(a.residual.largest == b.residual.largest);
  }
}

TEST_CASE("What position 0 alone cannot decide is said to be tied, with the position that would") {
  DrawnRope draw = drawn_rope(3);
  draw.written = {{.d_head = draw.sound.d_head,
                   .rotary_dims = draw.sound.d_head,
                   .pairing = RopePairing::half_split,
                   .base = 500000}};
  const Matrix<double> row = draw.before.topRows(1);
  const RotatedTensor tensor{.before = row,
                             .after = row,
                             .positions = AxisPositions::Zero(1, 1),
                             .format = Precision::bf16};
  const RotationAnswer answer = identify_rotation({.tensor = tensor});
  CHECK(answer.explained);
  REQUIRE(answer.hypotheses.size() > 4);
  CHECK(answer.hypotheses[4].tied);
  WrittenRope other = draw.written;
  other.pairing = RopePairing::interleaved;
  const TellingInput input = telling_input(draw.written, other, tensor);
  CHECK(input.exists);
  CHECK(input.position == 1);
  CHECK_FALSE(input.content_hides);
}

TEST_CASE("Scalings are told apart from the position on at which they differ") {
  const Matrix<double> row = Matrix<double>::Ones(1, 64);
  const RotatedTensor tensor{.before = row,
                             .after = row,
                             .positions = AxisPositions::Zero(1, 1),
                             .format = Precision::bf16};
  const WrittenRope plain{
      {.d_head = 64, .rotary_dims = 64, .pairing = RopePairing::half_split, .base = 500000}};
  WrittenRope scaled = plain;
  scaled.scaling = {.kind = RopeScalingKind::llama3, .factor = 8, .original_length = 8192};
  const TellingInput input = telling_input(plain, scaled, tensor);
  CHECK(input.exists);
  CHECK(input.position > 8);
  CHECK_FALSE(telling_input(plain, plain, tensor).exists);
}

TEST_CASE("What no rope has made is not explained") {
  if (!test::is_tried(4)) return;
  DrawnRope draw = drawn_rope(5);
  Random random(9, "another tensor");
  draw.after = normal_matrix<double>(random, draw.before.rows(), draw.before.cols());
  const RotationAnswer answer = identify_rotation({.tensor = draw.tensor()});
  CHECK_FALSE(answer.explained);
  CHECK(answer.best().residual.rms() > 50);
}

TEST_CASE("Tensors of different shapes are refused") {
  DrawnRope draw = drawn_rope(5);
  draw.after = draw.before.leftCols(10).eval();
  CHECK_THROWS_AS(identify_rotation({.tensor = draw.tensor()}), UsageError);
}
