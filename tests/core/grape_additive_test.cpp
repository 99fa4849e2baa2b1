#include "core/encodings/grape_additive.h"

#include <cmath>

#include "core/encodings/alibi.h"
#include "core/random.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

constexpr Index grape_width = 4;

GrapeAdditiveTables drawn_grape(int heads) {
  Random random(8, "grape");
  const auto table = [&] { return normal_matrix<double>(random, heads, grape_width); };
  return {table(), table(), {table(), Matrix<double>::Zero(1, heads)}};
}

Matrix<double> grape_contents(const char* what) {
  Random random(8, what);
  return normal_matrix<double>(random, 12, grape_width);
}

}  // namespace

TEST_CASE("By hand: one channel, slope 2^-8, softplus(ln 3) = ln 4 of the second key") {
  Matrix<double> k(3, 1);
  k << 0, std::log(3.0), 0;
  const Matrix<double> one = Matrix<double>::Ones(1, 1), zero = Matrix<double>::Zero(3, 1);
  const GrapeAdditive<double> grape(1, GrapeGate::key,
                                    {3 * one, one, {one, Matrix<double>::Zero(1, 1)}});
  const Matrix<double> found = logits_of<double>(grape, zero, k, {0, 1, 3}, {0, 1, 3});
  const double s = std::exp2(-8), two = std::log(2.0), four = std::log(4.0);
  Matrix<double> expected(3, 3);
  expected << 0, -s * four, -3 * s * two, -s * two, 0, -2 * s * two, -3 * s * two, -2 * s * four, 0;
  CHECK(largest_difference(found, expected) < 1e-16);
}

TEMPLATE_TEST_CASE("Additive GRAPE attends as lifted matrix exponentials do", "", float, double) {
  const ModernGolden<TestType> g;
  const auto& c = g.of("grape_additive");
  const GrapeAdditiveTables tables{
      doubles(c.at("key")),
      doubles(c.at("query")),
      {Matrix<double>::Zero(4, grape_width), Matrix<double>::Zero(1, 4)}};
  GrapeAdditiveTables with_gates = tables;
  with_gates.forget.weight.topRows(3) = doubles(c.at("forget"));
  for (const auto& [name, gate] :
       {std::pair("none", GrapeGate::none), std::pair("key", GrapeGate::key),
        std::pair("query", GrapeGate::query), std::pair("query_key", GrapeGate::query_key),
        std::pair("forget", GrapeGate::forget)}) {
    INFO(name);
    g.check(GrapeAdditive<TestType>(4, gate, with_gates), c.at("cases").at(name));
  }
}

TEMPLATE_TEST_CASE("It contains ALiBi and the Forgetting Transformer exactly", "", float, double) {
  const Matrix<TestType> q = grape_contents("q").cast<TestType>(),
                         k = grape_contents("k").cast<TestType>();
  const Positions at{0, 1, 2, 3, 4, 7, 8, 9, 40, 41, 90, 1000};
  const GrapeAdditiveTables tables = drawn_grape(8);
  for (const int head : {0, 3, 7}) {
    const auto of = [&](const Encoding& encoding) {
      return logits_of<TestType>(encoding, q, k, at, at, head);
    };
    CHECK(of(GrapeAdditive<TestType>(8, GrapeGate::none, tables)) == of(Alibi<TestType>(8)));
    CHECK(of(GrapeAdditive<TestType>(8, GrapeGate::forget, tables)) ==
          of(Fox<TestType>(tables.forget)));
  }
}

TEST_CASE("Only the forget gate reads other keys, and only contents change gated terms") {
  for (const GrapeGate gate :
       {GrapeGate::none, GrapeGate::key, GrapeGate::query, GrapeGate::query_key, GrapeGate::forget})
    CHECK(GrapeAdditive<double>(2, gate, drawn_grape(2)).traits().reads_other_keys ==
          (gate == GrapeGate::forget));
  const Matrix<double> none = Matrix<double>::Zero(2, grape_width);
  const GrapeAdditive<double> both(2, GrapeGate::query_key, drawn_grape(2));
  const auto terms = both.score_terms({none, none, Positions{5, 6}, Positions{0, 1}});
  REQUIRE(terms.size() == 4);
  CHECK_FALSE(terms[1].logits.isZero(0));
  CHECK(terms[2].logits.isZero(0));
  CHECK(terms[3].logits.isZero(0));
}

TEST_CASE("Gates for other heads or widths are refused") {
  CHECK_THROWS_WITH(GrapeAdditive<double>(3, GrapeGate::key, drawn_grape(2)),
                    Contains("of 3 heads"));
  const Matrix<double> wide = Matrix<double>::Zero(1, grape_width + 1);
  CHECK_THROWS_WITH(logits_of<double>(GrapeAdditive<double>(2, GrapeGate::key, drawn_grape(2)),
                                      wide, wide, {0}, {0}),
                    Contains("d_head=4"));
}
