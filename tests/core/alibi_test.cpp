#include "core/encodings/alibi.h"

#include <catch2/catch.hpp>

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
