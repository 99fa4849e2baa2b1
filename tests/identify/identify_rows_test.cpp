// Rows that decide nothing, rows that lie elsewhere than they are said to, and what agrees.
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "core/random.h"
#include "experiments/identify/identify_rotation.h"

using namespace orrery;

namespace {
namespace identify_rows {

constexpr Index rows = 24, heads = 3, channels = 32;

struct Turned {
  Matrix<double> before{}, after{};
  AxisPositions stated{};

  RotatedTensor tensor() const {
    return {.heads = heads, .before = before, .after = after, .positions = stated};
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

/// In fp32, rows at these positions and stated at 0, 1, 2, …
Turned turned_at(const AxisPositions& positions, std::int64_t seed) {
  Random random(seed, "rows of identify");
  Turned made{.before = Matrix<double>(heads * rows, channels), .stated = consecutive()};
  for (Index i = 0; i < made.before.size(); ++i)
    made.before.data()[i] = static_cast<double>(static_cast<float>(random.normal()));
  RowPlaces places{.positions = positions};
  for (Index h = 0; h < heads; ++h) places.heads.push_back(h);
  for (Index n = 0; n < rows; ++n) places.rows.push_back(n);
  made.after = apply_written(plain_rope(), places, made.before).cast<float>().cast<double>();
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
