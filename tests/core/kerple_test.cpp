#include "core/encodings/kerple.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "core/attention/head.h"
#include "core/encodings/alibi.h"
#include "core/encodings/catalogue.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

KerpleVariant variant_named(const std::string& name) {
  return name == "power" ? KerpleVariant::power : KerpleVariant::logarithmic;
}

KerpleParameters one_head(double r1, double r2) { return {{r1}, {r2}}; }

/// The logits of tokens without content: the bias alone.
template <class T>
Matrix<T> biases(const Kerple<T>& kerple, const Positions& m, const Positions& n, int head = 0) {
  const Matrix<T> q = Matrix<T>::Zero(static_cast<Index>(m.size()), 2);
  const Matrix<T> k = Matrix<T>::Zero(static_cast<Index>(n.size()), 2);
  return attention_from_qkv<T>(kerple, {q, k, k, m, n, head}).logits;
}

ParamSet params_with(const std::vector<std::pair<std::string, std::string>>& settings) {
  ParamSpec selector{.key = "encoding",
                     .kind = ParamKind::choice,
                     .default_value = std::string("kerple"),
                     .choices = encoding_choices()};
  std::vector<ParamSpec> specs{selector};
  for (ParamSpec& spec : encoding_params("encoding")) specs.push_back(std::move(spec));
  ParamSet params(specs);
  for (const auto& [key, value] : settings) params.set(key, value);
  return params;
}

}  // namespace

TEST_CASE("By hand: three tokens, −2·log(1 + |m − n|) and −|m − n|²/2") {
  const Positions at{0, 1, 3};
  const double one = -2 * std::log(2.0), two = -2 * std::log(3.0), three = -2 * std::log(4.0);
  Matrix<double> logarithmic(3, 3);
  logarithmic << 0, one, three, one, 0, two, three, two, 0;
  Matrix<double> power(3, 3);
  power << 0, -.5, -4.5, -.5, 0, -2, -4.5, -2, 0;
  CHECK(
      largest_difference(biases(Kerple<double>(KerpleVariant::logarithmic, one_head(2, 1)), at, at),
                         logarithmic) < 1e-15);
  CHECK(biases(Kerple<double>(KerpleVariant::power, one_head(.5, 2)), at, at) == power);
}

TEMPLATE_TEST_CASE("KERPLE's biases equal 50-digit values at distances to 2^53", "", float,
                   double) {
  const auto file = golden("kerple.json");
  for (const auto& c : file.at("biases")) {
    INFO(c.dump());
    const Kerple<TestType> kerple(variant_named(c.at("variant")), one_head(c.at("r1"), c.at("r2")));
    for (const auto& [distance, expected] : c.at("by distance").items()) {
      const Position r = std::stoll(distance);
      const double tolerance = 4 * std::numeric_limits<TestType>::epsilon();
      for (const auto& [m, n] : {std::pair(r, Position{0}), std::pair(Position{0}, r)})
        CHECK(static_cast<double>(biases(kerple, {m}, {n})(0, 0)) ==
              Approx(expected.template get<double>()).epsilon(tolerance));
    }
  }
}

TEMPLATE_TEST_CASE("Attention with KERPLE equals NumPy's, head by head", "", float, double) {
  const auto file = golden("kerple.json");
  const auto& in = file.at("inputs");
  const Matrix<TestType> q = matrix_of<TestType>(in.at("q")), k = matrix_of<TestType>(in.at("k")),
                         v = matrix_of<TestType>(in.at("v"));
  const auto at = in.at("positions").template get<Positions>();
  const KerpleParameters parameters{in.at("r1"), in.at("r2")};
  const double tolerance = sizeof(TestType) == 8 ? 1e-12 : 1e-4;
  for (const auto& c : file.at("cases")) {
    const Kerple<TestType> kerple(variant_named(c.at("variant")), parameters);
    const auto out =
        attention_from_qkv<TestType>(kerple, {q, k, v, at, at, c.at("head").template get<int>()});
    CHECK(out.terms.at(1).name == "kernel_bias");
    CHECK(largest_difference(out.logits, matrix_of<TestType>(c.at("logits"))) < tolerance);
    CHECK(largest_difference(out.weights, matrix_of<TestType>(c.at("weights"))) < tolerance);
    CHECK(largest_difference(out.output, matrix_of<TestType>(c.at("output"))) < tolerance);
  }
}

TEST_CASE("A power of 1 is ALiBi's bias") {
  const Positions at{0, 1, 2, 9, 100};
  const Alibi<double> alibi(8);
  const Matrix<double> zero = Matrix<double>::Zero(5, 2);
  const auto expected = attention_from_qkv<double>(alibi, {zero, zero, zero, at, at, 3}).logits;
  const Kerple<double> kerple(KerpleVariant::power, one_head(alibi.slopes()[3], 1));
  CHECK(biases(kerple, at, at) == expected);
}

TEMPLATE_TEST_CASE("Far positions and the widest parameters give no NaN and no infinity", "", float,
                   double) {
  const Position far = Position{1} << 53;
  for (const auto& [variant, r2] :
       {std::pair(KerpleVariant::logarithmic, 1000.0), std::pair(KerpleVariant::power, 2.0)}) {
    const Matrix<TestType> map =
        biases(Kerple<TestType>(variant, one_head(1000, r2)), {0, far}, {0, far});
    CHECK(map.allFinite());
    CHECK(map(0, 0) == 0);
    CHECK(map(1, 1) == 0);
    CHECK(map(0, 1) < 0);
    CHECK(map(0, 1) == map(1, 0));
  }
}

TEST_CASE("Parameters hold for every head, tables head by head") {
  const ParamSet params = params_with({{"kerple.r1", "2"}, {"kerple.r2", "1"}});
  Matrix<double> row(1, 2);
  row << 3, 4;
  const Tables tables{{"kerple.r1", row}};
  const auto bias_of = [&](const Tables* given, int head) {
    const auto kerple = Kerple<double>::make(
        {.d_model = 2, .d_head = 2, .heads = 2, .params = params, .tables = given});
    return biases(*kerple, {1}, {0}, head)(0, 0);
  };
  CHECK(bias_of(nullptr, 0) == Approx(-2 * std::log(2)));
  CHECK(bias_of(nullptr, 1) == bias_of(nullptr, 0));
  CHECK(bias_of(&tables, 0) == Approx(-3 * std::log(2)));
  CHECK(bias_of(&tables, 1) == Approx(-4 * std::log(2)));
}

TEST_CASE("Parameters out of range are refused with their value and head") {
  const auto make = [](KerpleVariant variant, std::vector<double> r1, std::vector<double> r2) {
    return Kerple<double>(variant, {std::move(r1), std::move(r2)});
  };
  const auto logarithmic = KerpleVariant::logarithmic;
  CHECK_THROWS_WITH(make(logarithmic, {1, 0}, {1, 1}), Contains("r1=0 of head 1"));
  CHECK_THROWS_WITH(make(logarithmic, {1}, {-1}), Contains("r2=-1 of head 0"));
  CHECK_THROWS_WITH(make(logarithmic, {1}, {std::nan("")}), Contains("positive and finite"));
  CHECK_THROWS_WITH(make(logarithmic, {}, {}), Contains("one of each per head"));
  CHECK_THROWS_WITH(make(logarithmic, {1, 1}, {1}), Contains("one of each per head"));
  CHECK_THROWS_WITH(make(KerpleVariant::power, {1}, {2.1}), Contains("at most 2"));
  CHECK_NOTHROW(make(logarithmic, {1}, {2.1}));
  CHECK_THROWS_WITH(biases(make(logarithmic, {1}, {1}), {0}, {0}, 1), Contains("head"));
}
