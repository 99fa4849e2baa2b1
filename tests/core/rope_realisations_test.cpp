#include "core/encodings/rope_realisations.h"

#include <catch2/catch.hpp>

#include <rapidcheck.h>

#include "core/errors.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Matrix<double> row_of(const nlohmann::json& values, Index count) {
  Matrix<double> row(1, count);
  for (Index c = 0; c < count; ++c)
    row(0, c) = values.at(static_cast<std::size_t>(c)).get<double>();
  return row;
}

Rope<double> rope_of_case(const nlohmann::json& c) {
  return Rope<double>({.d_head = c.at("d").get<Index>(),
                       .rotary_dims = c.at("r").get<Index>(),
                       .pairing = c.at("pairing") == "interleaved" ? RopePairing::interleaved
                                                                   : RopePairing::half_split});
}

template <class T>
Matrix<T> elementwise(const Rope<T>& rope, PositionsIn m, Matrix<T> x) {
  rope.transform_queries(m, x);
  return x;
}

}  // namespace

TEST_CASE("R_m, R_m q and q_mᵀk_n equal 40-digit numbers in all three realisations") {
  const auto file = golden("rope_realisations.json");
  for (const auto& c : file.at("cases")) {
    INFO(c.at("pairing") << " d=" << c.at("d") << " r=" << c.at("r") << " m=" << c.at("m"));
    const Rope<double> rope = rope_of_case(c);
    const Index d = rope.convention().d_head;
    const Position m = c.at("m").get<Position>(), n = c.at("n").get<Position>();
    const Matrix<double> q = row_of(file.at("q"), d), k = row_of(file.at("k"), d);
    const Matrix<double> turned = row_of(c.at("R_m q"), d);
    constexpr double tolerance = 4e-15;
    CHECK(largest_difference(rope_matrix(rope, m), matrix_of<double>(c.at("R_m"))) < tolerance);
    CHECK(largest_difference(elementwise(rope, Positions{m}, q), turned) < tolerance);
    CHECK(largest_difference(rope_by_matrix<double>(rope, Positions{m}, q), turned) < tolerance);
    CHECK(largest_difference(rope_by_complex<double>(rope, Positions{m}, q), turned) < tolerance);
    CHECK(rope_complex_score<double>(rope, q, k, m, n) ==
          Approx(c.at("score").get<double>()).epsilon(1e-14));
  }
}

TEST_CASE("By hand: with d = 2, R_1 turns (1, 0) to (cos 1, sin 1)") {
  const Rope<double> rope({.d_head = 2});
  const Matrix<double> R = rope_matrix(rope, 1);
  CHECK(R(0, 0) == Approx(0.5403023058681398));
  CHECK(R(1, 0) == Approx(0.8414709848078965));
  CHECK(R(0, 1) == -R(1, 0));
  CHECK(R(1, 1) == R(0, 0));
}

TEST_CASE("The complex, matrix and elementwise realisations agree, for any head and position") {
  CHECK(rc::check([] {
    const Index pairs = *rc::gen::inRange<Index>(1, 33);
    const Index still = 2 * *rc::gen::inRange<Index>(0, 4);
    const Rope<double> rope(
        {.d_head = 2 * pairs + still,
         .rotary_dims = *rc::gen::inRange<Index>(1, pairs + 1) * 2,
         .partial = *rc::gen::element(RopePartial::truncated, RopePartial::proportional),
         .pairing = *rc::gen::element(RopePairing::interleaved, RopePairing::half_split),
         .base = *rc::gen::element(2.0, 10000.0, 5e5)});
    Random random(*rc::gen::inRange(0, 1000000), "realisations");
    const Matrix<double> x = normal_matrix<double>(random, 2, rope.convention().d_head);
    const Position far = Position{1} << 50;
    const Positions at{*rc::gen::inRange<Position>(-far, far),
                       *rc::gen::inRange<Position>(-far, far)};
    const Matrix<double> turned = elementwise(rope, at, x);
    RC_ASSERT(largest_difference(rope_by_matrix<double>(rope, at, x), turned) < 1e-14);
    RC_ASSERT(largest_difference(rope_by_complex<double>(rope, at, x), turned) < 1e-14);
    const Matrix<double> q = x.row(0), k = x.row(1);
    RC_ASSERT(std::abs(rope_complex_score<double>(rope, q, k, at[0], at[1]) -
                       turned.row(0).dot(turned.row(1))) < 1e-14 * q.norm() * k.norm() * 8);
  }));
}

TEST_CASE("R_m is orthogonal, R_mᵀ = R_{−m}, and R_m R_n = R_{m+n}") {
  for (const RopePairing pairing : {RopePairing::interleaved, RopePairing::half_split}) {
    const Rope<double> rope({.d_head = 8, .rotary_dims = 6, .pairing = pairing});
    const Matrix<double> R = rope_matrix(rope, 5), S = rope_matrix(rope, 12);
    CHECK(largest_difference<double>(R * R.transpose(), Matrix<double>::Identity(8, 8)) < 1e-15);
    CHECK(R.transpose() == rope_matrix(rope, -5));
    CHECK(largest_difference<double>(R * S, rope_matrix(rope, 17)) < 1e-15);
  }
}

TEST_CASE("All three round cos and sin alike") {
  const StageRounding rounding(Precision::bf16, {Stage::position, Stage::cos_sin});
  const Rope<double> rope({.d_head = 4}, {.rounding = rounding});
  const Matrix<double> x = Matrix<double>::Identity(4, 4);
  const Positions at{1995, 7, 300, 2};
  const Matrix<double> turned = elementwise(rope, at, x);
  CHECK(rope_by_matrix<double>(rope, at, x) == turned);
  CHECK(rope_by_complex<double>(rope, at, x) == turned);
}

TEST_CASE("What does not fit the head is refused") {
  const Rope<double> rope({.d_head = 4});
  const Matrix<double> x = Matrix<double>::Zero(1, 3), y = Matrix<double>::Zero(1, 4);
  CHECK_THROWS_AS(rope_by_matrix<double>(rope, Positions{0}, x), UsageError);
  CHECK_THROWS_AS(rope_by_complex<double>(rope, Positions{0, 1}, y), UsageError);
  CHECK_THROWS_AS(rope_complex_score<double>(rope, y, x, 0, 0), UsageError);
  CHECK_THROWS_AS(rope_matrix(rope, max_position + 1), UsageError);
}
