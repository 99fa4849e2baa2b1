// Rows that decide nothing, rows that lie elsewhere than they are said to, and what agrees.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/random.h"
#include "experiments/identify/identify_rotation.h"
#include "experiments/identify/rope_search.h"

using namespace orrery;

namespace {
namespace identify_rows {

constexpr Index rows = 24, heads = 3, channels = 32;

struct Turned {
  Matrix<double> before{}, after{};
  AxisPositions stated{};
  Precision format{Precision::fp32};

  RotatedTensor tensor() const {
    return {
        .heads = heads, .before = before, .after = after, .positions = stated, .format = format};
  }
};

AxisPositions consecutive() {
  AxisPositions positions(rows, 1);
  for (Index n = 0; n < rows; ++n) positions(n, 0) = n;
  return positions;
}

WrittenRope plain_rope() {
  return {{.d_head = channels, .rotary_dims = channels, .pairing = RopePairing::half_split}};
}

/// Rows at these positions and stated at 0, 1, 2, …
Turned turned_at(const AxisPositions& positions, std::int64_t seed,
                 const WrittenRope& rope = plain_rope(), Precision format = Precision::fp32) {
  Random random(seed, "rows of identify");
  Turned made{
      .before = Matrix<double>(heads * rows, channels), .stated = consecutive(), .format = format};
  for (Index i = 0; i < made.before.size(); ++i)
    made.before.data()[i] = round_to(format, random.normal());
  RowPlaces places{.positions = positions};
  for (Index h = 0; h < heads; ++h) places.heads.push_back(h);
  for (Index n = 0; n < rows; ++n) places.rows.push_back(n);
  made.after = apply_written(rope, places, made.before).unaryExpr([&](double y) {
    return round_to(format, y);
  });
  return made;
}

std::vector<Index> counted(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace identify_rows
}  // namespace

TEST_CASE("A row of zeros, as padding has, moves no other row") {
  using namespace identify_rows;
  Turned made = turned_at(consecutive(), 1);
  for (Index h = 0; h < heads; ++h) {
    made.before.row(h * rows + 17).setZero();
    made.after.row(h * rows + 17).setZero();
  }
  const RotationAnswer answer = identify_rotation({.tensor = made.tensor()});
  CHECK(answer.explained);
  CHECK(answer.positions == consecutive());
  CHECK(answer.best().rope.base == 10000);
  CHECK(answer.best().rope.rule == PositionRule::stated);
}

TEST_CASE("Rows are read off the tensor where they are stated wrong, and no rule is invented") {
  using namespace identify_rows;
  AxisPositions exchanged = consecutive();
  std::swap(exchanged(5, 0), exchanged(18, 0));
  exchanged(9, 0) = 700;
  const Turned made = turned_at(exchanged, 2);
  const RotationAnswer answer = identify_rotation({.tensor = made.tensor()});
  CHECK(answer.explained);
  CHECK(answer.positions == exchanged);
  CHECK(answer.best().rope.rule == PositionRule::stated);
}

TEST_CASE("Rows are read of a rope that turns from one to the next by little more than rounding") {
  using namespace identify_rows;
  AxisPositions exchanged = consecutive();
  std::swap(exchanged(5, 0), exchanged(18, 0));
  WrittenRope slow = plain_rope();
  slow.scaling = {.kind = RopeScalingKind::linear, .factor = 40};
  slow.rounding = fp32_stages();
  const Turned made = turned_at(exchanged, 4, slow, Precision::bf16);
  const RotationAnswer answer = identify_rotation({.tensor = made.tensor()});
  CHECK(answer.explained);
  CHECK(answer.positions == exchanged);
  CHECK(answer.best().rope.scaling.factor == 40);
}

TEST_CASE("Any frequencies are told where rows go on far away, where angles of fp32 are coarse") {
  using namespace identify_rows;
  AxisPositions far = consecutive();
  for (Index n = 6; n < rows; ++n) far(n, 0) += 600000;
  Random random(5, "divisors of identify");
  WrittenRope listed = plain_rope();
  listed.scaling.kind = RopeScalingKind::factors;
  for (Index t = 0; t < channels / 2; ++t)
    listed.scaling.factors.push_back(1 + 3 * std::abs(random.normal()));
  listed.rounding = fp32_stages();
  const Turned made = turned_at(far, 6, listed);
  const RotationAnswer answer = identify_rotation({.tensor = made.tensor()});
  CHECK(answer.explained_by_angles);
  CHECK(answer.positions == far);
}

TEST_CASE("A factor that no model is known for is told with the digits that all rows say") {
  using namespace identify_rows;
  WrittenRope odd = plain_rope();
  odd.base = 55947.83;
  odd.scaling = {.kind = RopeScalingKind::linear, .factor = 18.382};
  odd.rounding = fp32_stages();
  const Turned made = turned_at((consecutive().array() + 4000).matrix(), 7, odd);
  const RotationAnswer answer = identify_rotation({.tensor = made.tensor(), .assumed = true});
  CHECK(answer.explained);
  CHECK(answer.best().rope.scaling.factor == Approx(18.382).epsilon(1e-7));
  CHECK(answer.positions(0, 0) == 4000);
}

TEST_CASE("An offset is a rule where positions are stated, and where a dump begins where not") {
  using namespace identify_rows;
  const AxisPositions moved = (consecutive().array() + 7).matrix();
  const Turned made = turned_at(moved, 3);
  const RotationAnswer stated = identify_rotation({.tensor = made.tensor()});
  CHECK(stated.explained);
  CHECK(stated.best().rope.offset == 7);
  CHECK(stated.positions == consecutive());
  const RotationAnswer assumed = identify_rotation({.tensor = made.tensor(), .assumed = true});
  CHECK(assumed.explained);
  CHECK(assumed.best().rope.offset == 0);
  CHECK(assumed.positions == moved);
}

TEST_CASE("What agrees is told by heads, rows and channels") {
  using namespace identify_rows;
  Turned made = turned_at(consecutive(), 4);
  const auto agreement = [&] {
    return agreement_of(plain_rope(), sample_of(made.tensor(), rows, heads), 4.0);
  };
  CHECK(agreement().heads == counted(heads));
  CHECK(agreement().rows == counted(rows));
  CHECK(agreement().channels == counted(channels));
  for (Index h = 0; h < heads; ++h) made.after.row(h * rows + 3) *= 1.5;
  std::vector<Index> others = counted(rows);
  others.erase(others.begin() + 3);
  CHECK(agreement().rows == others);
  CHECK(agreement().heads == counted(heads));
  CHECK(agreement().channels == counted(channels));
}

TEST_CASE("Where one head differs, no row agrees, and the other heads do") {
  using namespace identify_rows;
  Turned made = turned_at(consecutive(), 5);
  made.after.middleRows(rows, rows) *= 1.5;
  const Agreement agreement =
      agreement_of(plain_rope(), sample_of(made.tensor(), rows, heads), 4.0);
  CHECK(agreement.rows.empty());
  CHECK(agreement.heads == std::vector<Index>{0, 2});
}

TEST_CASE("A NaN or an infinity anywhere is seen") {
  Matrix<double> values = Matrix<double>::Constant(7, 9, -3.5);
  CHECK(all_finite(values));
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()})
    for (const Index at : {Index{0}, Index{40}, Index{62}}) {
      values.data()[at] = wrong;
      CHECK_FALSE(all_finite(values));
      values.data()[at] = std::numeric_limits<double>::max();
      CHECK(all_finite(values));
    }
}
