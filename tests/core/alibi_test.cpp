#include "core/encodings/alibi.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/attention/head.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

TEST_CASE("ALiBi's slopes equal the authors' for any number of heads") {
  const auto file = golden("core.json");
  for (const auto& [heads, expected] : file.at("slopes").items()) {
    const auto slopes = alibi_slopes(std::stoi(heads));
    REQUIRE(slopes.size() == expected.size());
    for (std::size_t h = 0; h < slopes.size(); ++h)
      CHECK(slopes[h] == Approx(expected[h].get<double>()).epsilon(1e-15));
  }
  const auto reference = golden("formulas.json").at("alibi slopes by number of heads");
  for (const int heads : {1, 6, 8, 12, 16}) {
    const auto expected = reference.at(std::to_string(heads)).get<std::vector<double>>();
    const auto slopes = alibi_slopes(heads);
    REQUIRE(slopes.size() == expected.size());
    for (std::size_t h = 0; h < slopes.size(); ++h)
      CHECK(slopes[h] == Approx(expected[h]).epsilon(1e-14));
  }
  CHECK_THROWS_WITH(alibi_slopes(0), Catch::Matchers::Contains("heads=0"));
}

TEST_CASE("By hand: three tokens, head 0 of 8, slope 1/2") {
  const Positions at{0, 1, 2};
  const Matrix<double> zero = Matrix<double>::Zero(3, 2);
  const AttentionInputs<double> in{zero, zero, zero, at, at, 0};
  Matrix<double> symmetric(3, 3);
  symmetric << 0, -.5, -1, -.5, 0, -.5, -1, -.5, 0;
  Matrix<double> causal(3, 3);
  causal << 0, .5, 1, -.5, 0, .5, -1, -.5, 0;
  CHECK(attention_from_qkv<double>(Alibi<double>(8), in).logits == symmetric);
  CHECK(attention_from_qkv<double>(Alibi<double>(8, AlibiForm::causal), in).logits == causal);
}

TEST_CASE("By hand: Falcon's bias, slope 1/2 times the key's position, over √d = 2") {
  const Positions at{0, 1, 2};
  const Matrix<double> zero = Matrix<double>::Zero(3, 4);
  const AttentionInputs<double> in{zero, zero, zero, at, at, 0};
  const AlibiOptions falcon{.form = AlibiForm::key, .scale = AlibiScale::root};
  Matrix<double> expected(3, 3);
  expected << 0, .25, .5, 0, .25, .5, 0, .25, .5;
  CHECK(attention_from_qkv<double>(Alibi<double>(8, falcon), in).logits == expected);
  // A scale that the caller gives takes the place of 1/√d in the bias as in the product.
  CHECK(attention_from_qkv<double>(Alibi<double>(8, falcon), in, {}, {.scale = 1.0}).logits ==
        2 * expected);
}

TEST_CASE(
    "By hand: with bias_max 4 the last of 8 slopes is 2^-4; what is not positive is refused") {
  CHECK(alibi_slopes(8, 4).front() == std::exp2(-0.5));
  CHECK(alibi_slopes(8, 4).back() == 0.0625);
  CHECK_THROWS_WITH(alibi_slopes(8, 0), Catch::Matchers::Contains("bias_max=0"));
}

TEST_CASE("The formula that describe prints gives the slopes of any number of heads") {
  // s_h = 2^(−b(h+1)/c) for h < c = 2^⌊log₂ H⌋, then s_h = 2^(−b(2(h−c)+1)/(2c)).
  const Formula formula = Alibi<double>::info().formulas.at(1);
  CHECK(formula.tex == R"(s_h = 2^{-b(h+1)/c} \text{ for } h < c = 2^{\lfloor \log_2 H \rfloor}, )"
                       R"(\quad \text{then } s_h = 2^{-b(2(h-c)+1)/(2c)})");
  for (int heads = 1; heads <= 130; ++heads) {
    const auto slopes = alibi_slopes(heads);
    const double c = std::exp2(std::floor(std::log2(heads)));
    for (int h = 0; h < heads; ++h) {
      const double s =
          h < c ? std::exp2(-8 * (h + 1) / c) : std::exp2(-8 * (2 * (h - c) + 1) / (2 * c));
      CHECK(slopes[static_cast<std::size_t>(h)] == Approx(s).epsilon(1e-14));
    }
  }
}

TEST_CASE("The key's position alone gives other logits and the weights of the causal form") {
  Random random(2, "alibi");
  const Matrix<double> q = normal_matrix<double>(random, 6, 4);
  const Positions at = consecutive_positions(6, 100);
  const AttentionInputs<double> in{q, q, q, at, at, 3};
  const Alibi<double> key(4, AlibiForm::key), causal(4, AlibiForm::causal);
  CHECK_FALSE(key.traits().relative);
  CHECK(key.traits().relative_weights);
  const auto by_key = attention_from_qkv<double>(key, in);
  const auto by_distance = attention_from_qkv<double>(causal, in);
  Matrix<double> apart(6, 6);  // s_h·m, the same along a row
  for (Index i = 0; i < 6; ++i)
    apart.row(i).setConstant(key.slopes()[3] * (100.0 + static_cast<double>(i)));
  CHECK(largest_difference(by_key.logits, Matrix<double>(by_distance.logits + apart)) < 1e-14);
  CHECK(largest_difference(by_key.weights, by_distance.weights) < 1e-15);
}

TEST_CASE("Under a causal mask both forms give the same weights") {
  Random random(1, "alibi");
  const Matrix<double> q = normal_matrix<double>(random, 6, 4);
  const Matrix<double> k = normal_matrix<double>(random, 6, 4);
  const Positions at = consecutive_positions(6, 100);
  const AttentionInputs<double> in{q, k, k, at, at, 3};
  const Mask mask = Mask::causal(at, at);
  CHECK(attention_from_qkv<double>(Alibi<double>(4), in, mask).weights ==
        attention_from_qkv<double>(Alibi<double>(4, AlibiForm::causal), in, mask).weights);
}

TEST_CASE("A head that ALiBi was not made for is refused") {
  const Matrix<double> q = Matrix<double>::Zero(1, 2);
  const Positions at{0};
  CHECK_THROWS_WITH(attention_from_qkv<double>(Alibi<double>(4), {q, q, q, at, at, 4}),
                    Catch::Matchers::Contains("head=4: the encoding was made for 4 heads"));
}
