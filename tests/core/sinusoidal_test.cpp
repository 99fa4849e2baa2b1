#include "core/encodings/sinusoidal.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/attention/head.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

TEST_CASE("Sinusoids equal the reference, as the paper and as tensor2tensor lay them out") {
  const auto reference = golden("formulas.json").at("sinusoidal");
  const auto paper = Sinusoidal<double>(8).table(Positions{3});
  const auto t2t = Sinusoidal<double>(8, 1e4, SinusoidalLayout::tensor2tensor).table(Positions{3});
  for (Index c = 0; c < 8; ++c) {
    const auto i = static_cast<std::size_t>(c);
    CHECK(paper(0, c) ==
          Approx(reference.at("row of position 3, d=8, interleaved")[i].get<double>())
              .epsilon(1e-14));
    CHECK(t2t(0, c) ==
          Approx(reference.at("row of position 3, d=8, tensor2tensor")[i].get<double>())
              .epsilon(1e-13));
  }
}

TEST_CASE("The product of two sinusoids depends on their distance: Σ cos(k θ_t)") {
  const auto reference = golden("formulas.json").at("sinusoidal");
  for (const Position k : {1, 10, 100}) {
    const double expected =
        reference.at("product of two rows by distance, d=64").at(std::to_string(k)).get<double>();
    const auto p = Sinusoidal<double>(64).table(Positions{5, 5 + k});
    CHECK(p.row(0).dot(p.row(1)) == Approx(expected).epsilon(1e-13));
  }
}

TEST_CASE("An odd width gets a column of zeros as tensor2tensor does, and is refused elsewhere") {
  const auto p = Sinusoidal<double>(5, 1e4, SinusoidalLayout::tensor2tensor).table(Positions{3});
  const auto expected = matrix_of<double>(golden("core.json").at("sinusoid_odd"));
  CHECK(largest_difference<double>(p, expected) < 1e-15);
  CHECK_THROWS_WITH(Sinusoidal<double>(5), Catch::Matchers::Contains("must be even"));
}

TEST_CASE(
    "By hand: with d = 2, x = (1, 0) and W = I, logits are (1 + sin m + sin n + cos(m − n))/√2") {
  const Positions at{0, 1, 2};
  Matrix<double> x(3, 2);
  x << 1, 0, 1, 0, 1, 0;
  const auto out = attention_head<double>(Sinusoidal<double>(2), Projections<double>::identity(2),
                                          {x, x, at, at});
  for (Index m = 0; m < 3; ++m) {
    for (Index n = 0; n < 3; ++n) {
      const double sm = std::sin(static_cast<double>(m));
      const double sn = std::sin(static_cast<double>(n));
      const double c = std::cos(static_cast<double>(m - n));
      CHECK(out.logits(m, n) * std::sqrt(2.0) == Approx(1 + sm + sn + c));
      CHECK(out.terms[0].logits(m, n) * std::sqrt(2.0) == Approx(1));
      CHECK(out.terms[1].logits(m, n) * std::sqrt(2.0) == Approx(sn).margin(1e-15));
      CHECK(out.terms[2].logits(m, n) * std::sqrt(2.0) == Approx(sm).margin(1e-15));
      CHECK(out.terms[3].logits(m, n) * std::sqrt(2.0) == Approx(c).margin(1e-15));
    }
  }
  CHECK(out.terms[1].name == "content_to_position");
  CHECK(out.terms[3].name == "position_to_position");
}

TEST_CASE("Input terms cannot act on q and k whose projections are unknown") {
  const Matrix<double> q = Matrix<double>::Ones(2, 4);
  const Positions at{0, 1};
  CHECK_THROWS_WITH(attention_from_qkv<double>(Sinusoidal<double>(4), {q, q, q, at, at}),
                    Catch::Matchers::Contains("acts before W_q and W_k"));
}
