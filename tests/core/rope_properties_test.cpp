// What the paper claims of RoPE, over generated cases.
#include <catch2/catch.hpp>

#include <rapidcheck.h>
#include <cmath>

#include "core/analysis/decay.h"
#include "core/encodings/rope.h"
#include "core/random.h"

using namespace orrery;

namespace {

struct Drawn {
  Index d;
  RopePairing pairing;
  Matrix<double> q;
  Matrix<double> k;
  Rope<double> rope;
};

Drawn draw() {
  const Index d = 2 * *rc::gen::inRange<Index>(1, 33);
  const auto pairing = *rc::gen::element(RopePairing::interleaved, RopePairing::half_split);
  const double base = *rc::gen::element(1.5, 100.0, 10000.0, 5e5);
  Random random(*rc::gen::inRange(0, 1000000), "properties");
  Matrix<double> q = normal_matrix<double>(random, 1, d);
  Matrix<double> k = normal_matrix<double>(random, 1, d);
  return {d, pairing, q, k, Rope<double>({.d_head = d, .pairing = pairing, .base = base})};
}

Position position() { return *rc::gen::inRange<Position>(-(1LL << 40), 1LL << 40); }

double score(const Drawn& c, Position m, Position n) {
  Matrix<double> q = c.q;
  Matrix<double> k = c.k;
  c.rope.transform_queries(Positions{m}, q);
  c.rope.transform_keys(Positions{n}, k);
  return q.row(0).dot(k.row(0));
}

double slack(const Drawn& c) {
  return 1e-14 * c.q.norm() * c.k.norm() * std::sqrt(static_cast<double>(c.d));
}

}  // namespace

TEST_CASE("RoPE keeps the norm") {
  CHECK(rc::check([] {
    const Drawn c = draw();
    Matrix<double> q = c.q;
    c.rope.transform_queries(Positions{position()}, q);
    RC_ASSERT(std::abs(q.norm() - c.q.norm()) < 1e-14 * c.q.norm());
  }));
}

TEST_CASE("RoPE scores depend on m − n only") {
  CHECK(rc::check([] {
    const Drawn c = draw();
    const Position m = position(), n = position(), s = position();
    RC_ASSERT(std::abs(score(c, m, n) - score(c, m + s, n + s)) < slack(c));
  }));
}

TEST_CASE("RoPE scores equal the complex form (35), pairs taken as the pairing says") {
  CHECK(rc::check([] {
    const Drawn c = draw();
    const Position m = position(), n = position();
    std::vector<std::complex<double>> h;
    for (Index t = 0; t < c.d / 2; ++t) {
      const bool inter = c.pairing == RopePairing::interleaved;
      const Index a = inter ? 2 * t : t;
      const Index b = inter ? 2 * t + 1 : t + c.d / 2;
      h.push_back(std::complex(c.q(0, a), c.q(0, b)) * std::complex(c.k(0, a), -c.k(0, b)));
    }
    RC_ASSERT(std::abs(score(c, m, n) - complex_score(h, c.rope.theta(), m - n)) < slack(c));
  }));
}
