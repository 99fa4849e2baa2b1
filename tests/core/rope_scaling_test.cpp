#include "core/encodings/rope_scaling.h"

#include <bit>
#include <catch2/catch.hpp>

#include "core/analysis/largest.h"
#include "core/attention/head.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/rope.h"
#include "core/encodings/rope_realisations.h"
#include "core/pipelines.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// The parameters and tables that a golden case names.
struct Asked {
  ParamSet params{Rope<double>::info().params};
  Tables tables{};
  Index d{};

  explicit Asked(const nlohmann::json& settings) {
    for (const auto& [key, value] : settings.items()) {
      if (key == "d")
        d = value.get<Index>();
      else if (value.is_array())
        tables["rope." + key] = Matrix<double>::Map(value.get<std::vector<double>>().data(), 1,
                                                    static_cast<Index>(value.size()));
      else
        params.set(key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  template <class T>
  std::unique_ptr<Rope<T>> rope(const StageRounding& rounding = {}) const {
    return Rope<T>::make(
        {.d_model = d, .d_head = d, .params = params, .rounding = rounding, .tables = &tables});
  }
};

RopeConvention scaled_head(RopeScalingKind kind, Index d = 16) {
  return {.d_head = d, .scaling = {.kind = kind, .original_length = 64, .length = 256}};
}

constexpr RopeScalingKind every_kind[] = {
    RopeScalingKind::linear,  RopeScalingKind::ntk,     RopeScalingKind::dynamic_ntk,
    RopeScalingKind::yarn,    RopeScalingKind::llama3,  RopeScalingKind::ntk_by_parts,
    RopeScalingKind::factors, RopeScalingKind::longrope};

}  // namespace

TEST_CASE("Scaled frequencies and attention factors are those of 50 digits") {
  const auto cases = golden("rope_scaling.json").at("formulas");
  REQUIRE(cases.size() == 13);
  for (const auto& c : cases) {
    INFO(c.at("settings").dump());
    const auto rope = Asked(c.at("settings")).rope<double>();
    const auto expected = c.at("theta").get<std::vector<double>>();
    REQUIRE(rope->theta().size() == expected.size());
    for (std::size_t t = 0; t < expected.size(); ++t)
      CHECK(rope->theta()[t] == Approx(expected[t]).epsilon(1e-14));
    CHECK(rope->attention_factor() ==
          Approx(c.at("attention_factor").get<double>()).epsilon(1e-15));
  }
}

TEST_CASE(
    "Scaled inv_freq and applied q and k are those of Transformers and so is the attention "
    "factor") {
  const StageRounding rounding = find_pipeline("eager_fp32").rounding;
  const auto cases = golden("rope_scaling.json").at("transformers");
  REQUIRE(cases.size() == 39);
  int same_bits = 0;
  for (const auto& c : cases) {
    INFO(c.at("model") << " " << c.at("settings").dump());
    Asked asked(c.at("settings"));
    asked.params.set("rope.pairing", c.at("pairing").get<std::string>());
    const auto rope = asked.rope<float>(rounding);
    const auto bits = c.at("inv_freq_bits").get<std::vector<std::uint32_t>>();
    REQUIRE(rope->rounded_theta().size() == bits.size());
    Largest off;  // PyTorch's powers of 150000 are now and then the neighbours of the nearest
    for (std::size_t t = 0; t < bits.size(); ++t) {
      const double ours = rope->rounded_theta()[t], theirs = std::bit_cast<float>(bits[t]);
      CHECK(std::abs(ours - theirs) <= theirs * 0x1p-21);
      off.see(std::abs(ours - theirs));
    }
    same_bits += off.value() == 0 ? 1 : 0;
    CHECK(rope->attention_factor() ==
          Approx(c.at("attention_factor").get<double>()).epsilon(1e-15));
    const auto positions = c.at("positions").get<Positions>();
    Matrix<float> q = matrix_of<float>(c.at("q")), k = matrix_of<float>(c.at("k"));
    rope->transform_queries(positions, q);
    rope->transform_keys(positions, k);
    // Its cosines, too: at most one unit of fp32 for |x| ≤ 1, and what other frequencies cost.
    const double bound = 0x1p-21 + 2 * off.value() * static_cast<double>(positions.back());
    CHECK(largest_difference(q, matrix_of<float>(c.at("turned_q"))) < bound);
    CHECK(largest_difference(k, matrix_of<float>(c.at("turned_k"))) < bound);
  }
  INFO("cases of which every frequency has Transformers' bits: " << same_bits);
  CHECK(same_bits >= 38);
}

TEST_CASE("By hand: with d = 2, s = 4 and a = 3, logits are 9 cos((m − n)/4)/√2") {
  RopeConvention config{.d_head = 2};
  config.scaling = {.kind = RopeScalingKind::linear, .factor = 4, .attention_factor = 3};
  const Positions at{0, 1, 2};
  Matrix<double> x(3, 2);
  x << 1, 0, 1, 0, 1, 0;
  const auto logits = attention_from_qkv<double>(Rope<double>(config), {x, x, x, at, at}).logits;
  for (Index m = 0; m < 3; ++m)
    for (Index n = 0; n < 3; ++n)
      CHECK(logits(m, n) ==
            Approx(9 * std::cos(0.25 * static_cast<double>(m - n)) / std::sqrt(2.0)));
}

TEST_CASE("NTK keeps the fastest pair and divides the slowest by s; a lone pair stays") {
  RopeScaling ntk{.kind = RopeScalingKind::ntk, .factor = 7};
  const auto theta = scaled_frequencies(64, 10000, ntk, Precision::fp64);
  const auto plain = scaled_frequencies(64, 10000, {}, Precision::fp64);
  CHECK(theta.front() == 1);
  CHECK(theta.back() == Approx(plain.back() / 7).epsilon(1e-14));
  CHECK(scaled_frequencies(1, 10000, ntk, Precision::fp64) == std::vector<double>{1});
}

TEST_CASE("LongRoPE takes the long factors from one token above the original length") {
  RopeConvention config{.d_head = 4};
  config.scaling = {.kind = RopeScalingKind::longrope,
                    .original_length = 64,
                    .factors = {2, 4},
                    .long_factors = {8, 16}};
  const auto fastest_at = [&](double length) {
    config.scaling.length = length;
    return Rope<double>(config).theta().front();
  };
  CHECK(fastest_at(64) == 1.0 / 2);
  CHECK(fastest_at(65) == 1.0 / 8);
}

TEST_CASE("An attention factor multiplies rotated channels of q and k, and no others or values") {
  const RopeOptions options{.rotary_value = RotaryValue::rotated};
  RopeConvention config{.d_head = 8, .rotary_dims = 4};
  config.scaling = {.kind = RopeScalingKind::yarn, .attention_factor = 2};
  RopeConvention plain = config;
  plain.scaling.attention_factor = 1;
  Random random(5, "attention factor");
  const Matrix<double> x = normal_matrix<double>(random, 1, 8);
  const Positions at{3};
  const Rope<double> rope(config, options), unit(plain, options);
  Matrix<double> q = x, expected = x;
  rope.transform_queries(at, q);
  unit.transform_queries(at, expected);
  expected.leftCols(4) *= 2;
  CHECK(largest_difference(q, expected) < 1e-15);
  Matrix<double> one(1, 1), out = x, expected_out = x;
  one << 1;
  rope.add_to_output({one, x, at, at}, out);
  unit.add_to_output({one, x, at, at}, expected_out);
  CHECK(out == expected_out);
}

TEST_CASE("The realisations agree with the rotation for every scaling") {
  Random random(9, "scaled realisations");
  const Matrix<double> q = normal_matrix<double>(random, 1, 16);
  const Matrix<double> k = normal_matrix<double>(random, 1, 16);
  const Positions m{50}, n{-7};
  for (const RopeScalingKind kind : every_kind) {
    RopeConvention config = scaled_head(kind);
    config.scaling.attention_factor = 1.25;
    const Rope<double> rope(config);
    Matrix<double> turned_q = q, turned_k = k;
    rope.transform_queries(m, turned_q);
    rope.transform_keys(n, turned_k);
    CHECK(largest_difference(rope_by_matrix<double>(rope, m, q), turned_q) < 1e-13);
    CHECK(largest_difference(rope_by_complex<double>(rope, m, q), turned_q) < 1e-13);
    CHECK(rope_complex_score<double>(rope, q, k, 50, -7) ==
          Approx(turned_q.row(0).dot(turned_k.row(0))).epsilon(1e-12));
  }
}

TEST_CASE("p-RoPE scales the pairs that turn and leaves the others still") {
  RopeConvention config = scaled_head(RopeScalingKind::linear, 8);
  config.rotary_dims = 4;
  config.partial = RopePartial::proportional;
  const std::vector<double> theta = Rope<double>(config).theta();
  CHECK(theta == std::vector<double>{0.25, 0.025, 0, 0});
}

TEST_CASE("A scaling that cannot be is refused with the value, the rule and a remedy") {
  const auto refusal = [](RopeScaling scaling) {
    return [scaling] { Rope<double>({.d_head = 8, .scaling = scaling}); };
  };
  using Kind = RopeScalingKind;
  CHECK_THROWS_WITH(refusal({.kind = Kind::linear, .factor = 0.5})(),
                    Contains("rope.factor=0.5") && Contains("at least 1"));
  CHECK_THROWS_WITH(refusal({.kind = Kind::yarn, .beta_fast = 1})(),
                    Contains("rope.beta_fast=1 with rope.beta_slow=1") && Contains("try"));
  CHECK_THROWS_WITH(refusal({.kind = Kind::llama3, .high_freq_factor = 0.5})(),
                    Contains("must be greater than rope.low_freq_factor"));
  CHECK_THROWS_WITH(refusal({.kind = Kind::factors, .factors = {1, 2, 3}})(),
                    Contains("rope.factors with 3 numbers") && Contains("4 pairs"));
  CHECK_THROWS_WITH(refusal({.kind = Kind::longrope, .long_factors = {1, 2, 0, 4}})(),
                    Contains("rope.long_factor=0: must be positive"));
}

TEST_CASE("A list of factors is refused where the scaling does not read it") {
  Asked asked({{"d", 8}, {"rope.scaling", "yarn"}});
  asked.tables["rope.factors"] = Matrix<double>::Ones(1, 4);
  CHECK_THROWS_WITH(asked.rope<double>(), Contains("rope.scaling=factors"));
  asked.params.set("rope.scaling", "factors");
  CHECK_NOTHROW(asked.rope<double>());
  asked.tables["rope.factors"] = Matrix<double>::Ones(1, 3);
  CHECK_THROWS_WITH(asked.rope<double>(), Contains("[1, 4]"));
}
