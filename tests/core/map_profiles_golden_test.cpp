// Terms by distance against tests/golden/generate_map_profiles.py.
#include <catch2/catch.hpp>

#include <string>

#include "core/analysis/diagonals.h"
#include "core/attention/head.h"
#include "core/encodings/deberta.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

void check_profile(const Matrix<double>& map, const Positions& at, const Mask& mask,
                   const nlohmann::json& expected) {
  const DiagonalProfile profile = diagonal_profile<double>(map, at, at, mask);
  REQUIRE(profile.r == expected.at("distance").get<Positions>());
  for (std::size_t i = 0; i < profile.r.size(); ++i) {
    const auto of = [&](const char* key) {
      return Approx(expected.at(key).at(i).get<double>()).margin(1e-14);
    };
    CHECK(profile.mean[i] == of("mean"));
    CHECK(profile.low[i] == of("smallest"));
    CHECK(profile.high[i] == of("largest"));
  }
}

void check_terms(const AttentionOutput<double>& out, const nlohmann::json& expected,
                 const Positions& at) {
  CHECK(out.terms.size() + 1 == expected.size());
  const auto check = [&](const std::string& name, const Matrix<double>& map) {
    INFO(name);
    check_profile(map, at, {}, expected.at(name).at("full"));
    check_profile(map, at, Mask::causal(at, at), expected.at(name).at("causal"));
  };
  for (const ScoreTerm<double>& term : out.terms) check(std::string(term.name), term.logits);
  check("logits", out.logits);
}

}  // namespace

TEST_CASE("Terms by distance have the mean, the smallest and the largest that NumPy finds") {
  const auto file = golden("map_profiles.json");
  const auto input = [&](const char* name) {
    return matrix_of<double>(file.at("inputs").at(name));
  };
  const Positions at = consecutive_positions(file.at("tokens").get<Index>());
  const int head = file.at("head").get<int>();
  const auto d = file.at("d").get<Index>();
  const auto& cases = file.at("cases");
  const Matrix<double> x = input("x"), q = input("q"), k = input("k");
  const Sinusoidal<double> sinusoidal(d, 10000.0);
  check_terms(attention_head<double>(sinusoidal, {input("W_q"), input("W_k"), input("W_k")},
                                     {x, x, at, at}),
              cases.at("sinusoidal"), at);
  const AttentionInputs<double> in{q, k, k, at, at, head};
  check_terms(attention_from_qkv<double>(T5<double>({}, input("t5.table")), in), cases.at("t5"),
              at);
  const Deberta<double> deberta(
      {input("deberta.table"), input("deberta.W_qr"), input("deberta.W_kr"), d},
      {.span = file.at("span").get<Index>()});
  check_terms(attention_from_qkv<double>(deberta, in), cases.at("deberta"), at);
}
