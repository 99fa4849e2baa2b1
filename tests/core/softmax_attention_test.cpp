#include "core/attention/softmax_attention.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

AttentionOutput<float> softmax_of(const Matrix<float>& logits, const Mask& mask = {}) {
  AttentionOutput<float> out;
  out.logits = logits;
  masked_softmax(mask, out);
  return out;
}

Matrix<float> row(std::initializer_list<float> values) {
  Matrix<float> m(1, static_cast<Index>(values.size()));
  Index c = 0;
  for (const float v : values) m(0, c++) = v;
  return m;
}

Mask only(std::initializer_list<bool> keys) { return Mask::padding(1, std::vector<bool>(keys)); }

}  // namespace

TEST_CASE("Masked weights are exactly 0, whatever the logit") {
  const auto out = softmax_of(row({1, inf, not_a_number, 2}), only({true, false, false, true}));
  CHECK(out.weights(0, 1) == 0);
  CHECK(out.weights(0, 2) == 0);
  CHECK(out.weights.sum() == Approx(1));
  CHECK(out.nan_rows == 0);
}

TEST_CASE("A row that sees nothing has zero weights and is counted") {
  const auto out = softmax_of(row({1, 2}), only({false, false}));
  CHECK(out.weights == row({0, 0}));
  CHECK(out.fully_masked_rows == 1);
}

TEST_CASE("A row that sees nothing but −inf is NaN, as in PyTorch, and no row without keys") {
  for (const Mask& mask : {Mask(), only({true, true})}) {
    const auto out = softmax_of(row({-inf, -inf}), mask);
    CHECK(out.weights.array().isNaN().all());
    CHECK(out.nan_rows == 1);
    CHECK(out.fully_masked_rows == 0);
  }
  CHECK(softmax_of(row({-inf, 1}), only({true, false})).nan_rows == 1);
  CHECK(softmax_of(row({-inf, 1})).weights == row({0, 1}));
}

TEST_CASE(
    "An additive mask hides at −inf and the lowest numbers of the formats, and adds the rest") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double value :
       {-infinity, std::numeric_limits<double>::lowest(),
        static_cast<double>(std::numeric_limits<float>::lowest()), -0x1.fep127, -65504.0})
    CHECK(Mask::hides(value));
  for (const double value : {0.0, -0.0, -1e4, -65503.0, -65505.0, -1e9, -0x1.fcp127, 65504.0, 1.0})
    CHECK_FALSE(Mask::hides(value));

  Matrix<double> values(1, 4);
  values << 0, -infinity, -2, -65504;
  const Mask mask = Mask::additive(values);
  CHECK((mask.allows(0, 0) && mask.allows(0, 2)));
  CHECK((!mask.allows(0, 1) && !mask.allows(0, 3)));
  REQUIRE(mask.added());
  CHECK(*mask.added() == (Matrix<double>(1, 4) << 0, 0, -2, 0).finished());
  CHECK(Mask::additive(Matrix<double>::Zero(1, 4)).added() == nullptr);

  const Mask both = mask & mask & only({true, true, false, true});
  CHECK(*both.added() == (Matrix<double>(1, 4) << 0, 0, -4, 0).finished());
  CHECK_FALSE(both.allows(0, 2));
}

TEST_CASE("By hand: what a mask adds is a term of the logits, after the scale") {
  const Matrix<double> q = Matrix<double>::Constant(1, 4, 1);
  const Matrix<double> k = Matrix<double>::Constant(2, 4, 3);
  Matrix<double> values(1, 2);
  values << 0, std::log(0.25);
  const auto out = softmax_attention<double>({q, k, k, Positions{0}, Positions{0, 1}}, {},
                                             Mask::additive(values));
  REQUIRE(out.terms.size() == 2);
  CHECK(out.terms[1].name == "mask");
  CHECK(out.terms[1].logits == values);
  CHECK(out.logits(0, 0) == 6);
  CHECK(out.weights(0, 0) == Approx(0.8));
  CHECK(out.weights(0, 1) == Approx(0.2));
}

TEST_CASE("A NaN stays in its row and is counted") {
  Matrix<float> logits(2, 2);
  logits << 1, not_a_number, 3, 4;
  const auto out = softmax_of(logits);
  CHECK(std::isnan(out.weights(0, 0)));
  CHECK(std::isnan(out.weights(0, 1)));
  CHECK(out.weights.row(1).sum() == Approx(1));
  CHECK(out.nan_rows == 1);
}

TEST_CASE("Huge logits do not overflow, and −inf weighs exactly 0") {
  const auto out = softmax_of(row({3e38f, 3e38f, -3e38f, -inf}));
  CHECK(out.weights == row({0.5f, 0.5f, 0, 0}));
}

TEST_CASE("Masks: causal by position, window, padding, and what two allow together") {
  const Positions m{10, 11};
  const Positions n{9, 10, 11, 12};
  const Mask causal = Mask::causal(m, n);
  const Mask both = causal & Mask::sliding_window(m, n, 2);
  const auto allowed = [](const Mask& mask, Index i) {
    std::vector<bool> keys;
    for (Index j = 0; j < 4; ++j) keys.push_back(mask.allows(i, j));
    return keys;
  };
  CHECK(allowed(causal, 0) == std::vector<bool>{true, true, false, false});
  CHECK(allowed(causal, 1) == std::vector<bool>{true, true, true, false});
  CHECK(allowed(both, 1) == std::vector<bool>{false, true, true, false});
  CHECK(allowed(both & Mask::padding(2, {true, false, true, true}), 1) ==
        std::vector<bool>{false, false, true, false});
  CHECK_THROWS_WITH(Mask::sliding_window(m, n, 0), Contains("at least 1"));
  CHECK_THROWS_WITH(softmax_of(row({1, 2}), causal), Contains("[2, 4]"));
}

TEST_CASE("Shapes that do not fit are refused by name") {
  const Matrix<float> q = Matrix<float>::Ones(2, 4);
  const Matrix<float> k = Matrix<float>::Ones(2, 3);
  const Matrix<float> v = Matrix<float>::Ones(1, 4);
  const Positions at{0, 1};
  CHECK_THROWS_WITH(softmax_attention<float>({q, k, k, at, at}, {}),
                    Contains("q with 4 and k with 3"));
  CHECK_THROWS_WITH(softmax_attention<float>({q, q, v, at, at}, {}), Contains("v with 1 rows"));
  CHECK_THROWS_WITH(softmax_attention<float>({q, q, q, Positions{0}, at}, {}),
                    Contains("1 positions"));
}

TEST_CASE("A sink takes its share of the weights and gives no value") {
  // Logits 0 and ln 2 beside a sink of ln 3: shares 1, 2 and 3 of 6.
  const Matrix<double> q = Matrix<double>::Ones(1, 1);
  Matrix<double> k(2, 1), v(2, 1);
  k << 0, std::log(2.0);
  v << 6, 12;
  const Positions m{1}, n{0, 1};
  const std::vector<double> sinks{std::log(3.0)};
  const Scoring scoring{.scale = 1, .sinks = sinks};
  const auto out = softmax_attention<double>({q, k, v, m, n}, {}, {}, scoring);
  CHECK(out.weights(0, 0) == Approx(1.0 / 6));
  CHECK(out.weights(0, 1) == Approx(2.0 / 6));
  CHECK(out.output(0, 0) == Approx(1 + 4));
  CHECK(attention_output<double>({q, k, v, m, n}, {}, {}, scoring).output(0, 0) == Approx(5));
  CHECK_THROWS_WITH(softmax_attention<double>({.q = q, .k = k, .v = v, .m = m, .n = n, .head = 1},
                                              {}, {}, scoring),
                    Contains("sink"));
}

TEST_CASE("A cap bounds logits before the mask, and leaves masked keys without weight") {
  // 5 tanh(10/5) = 4.820137900379085, 5 tanh(-10/5) is its negative.
  const Matrix<double> q = Matrix<double>::Ones(1, 1);
  Matrix<double> k(3, 1);
  k << 10, -10, 10;
  const Positions m{1}, n{0, 1, 2};
  const Scoring scoring{.scale = 1, .softcap = 5};
  const auto out = softmax_attention<double>({q, k, k, m, n}, {}, Mask::causal(m, n), scoring);
  CHECK(out.logits(0, 0) == Approx(4.820137900379085).epsilon(1e-15));
  CHECK(out.logits(0, 1) == Approx(-4.820137900379085).epsilon(1e-15));
  CHECK(out.weights(0, 2) == 0);
  CHECK(out.weights(0, 1) == Approx(1 / (1 + std::exp(2 * 4.820137900379085))));
}
