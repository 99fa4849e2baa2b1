// Attention against published.json: what the code that authors released computes.
#include "core/attention/weight_rules.h"
#include "core/encodings/fire.h"
#include "core/encodings/fox.h"
#include "core/encodings/grape_additive.h"
#include "core/encodings/grape_multiplicative.h"
#include "core/encodings/kerple.h"
#include "core/encodings/none.h"
#include "core/encodings/path.h"
#include "core/encodings/pope.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

/// What went in, and what the authors' code made of it.
template <class T>
struct Published {
  ModernGolden<T> tokens{};
  nlohmann::json file = golden("published.json");

  const nlohmann::json& of(const std::string& name) const { return file.at("cases").at(name); }
  const nlohmann::json& tables(const std::string& name) const { return tokens.of(name); }
};

}  // namespace

TEMPLATE_TEST_CASE("Both files have the same tokens", "", float, double) {
  const Published<TestType> g;
  CHECK(g.file.at("inputs") == g.tokens.file.at("inputs"));
}

TEMPLATE_TEST_CASE("KERPLE attends as its authors' layers do, head by head", "", float, double) {
  Published<TestType> g;
  const auto& c = g.of("kerple");
  const KerpleParameters parameters{c.at("r1").template get<std::vector<double>>(),
                                    c.at("r2").template get<std::vector<double>>()};
  const Kerple<TestType> logarithmic(KerpleVariant::logarithmic, parameters);
  const Kerple<TestType> power(KerpleVariant::power, parameters);
  for (const int head : {0, 1, 2}) {
    const auto row = static_cast<std::size_t>(head);
    g.tokens.head = head;
    // The layers give keys ahead distance 0; a causal mask hides them.
    g.tokens.check_attended(logarithmic, c.at("logarithmic").at(row));
    g.tokens.check_attended(power, c.at("power").at(row));
  }
}

TEMPLATE_TEST_CASE("FIRE attends as the released module does", "", float, double) {
  const Published<TestType> g;
  const auto& c = g.tables("fire");
  const Fire<TestType> fire(
      {.c = c.at("c"), .threshold = c.at("threshold")},
      {doubles(c.at("w1")), doubles(c.at("b1")), doubles(c.at("w2")), doubles(c.at("b2"))});
  g.tokens.check(fire, g.of("fire"));
}

TEMPLATE_TEST_CASE("PoPE attends as PoPE-pytorch does", "", float, double) {
  const Published<TestType> g;
  const Pope<TestType> pope(10000, doubles(g.tables("pope").at("phases")));
  g.tokens.check(pope, g.of("pope"));
}

TEMPLATE_TEST_CASE("GRAPE's gated biases are those of its repository", "", float, double) {
  const Published<TestType> g;
  const auto& c = g.tables("grape_additive");
  const GrapeAdditiveTables tables{doubles(c.at("key")),
                                   doubles(c.at("query")),
                                   {Matrix<double>::Zero(4, 4), Matrix<double>::Zero(1, 4)}};
  for (const auto& [name, gate] :
       {std::pair("key", GrapeGate::key), std::pair("query", GrapeGate::query),
        std::pair("query_key", GrapeGate::query_key)}) {
    INFO(name);
    g.tokens.check(GrapeAdditive<TestType>(4, gate, tables), g.of("grape_additive").at(name));
  }
}

TEMPLATE_TEST_CASE("GRAPE's commuting planes turn as those of its repository", "", float, double) {
  const Published<TestType> g;
  const auto& c = g.of("grape_multiplicative");
  g.tokens.check(GrapeMultiplicative<TestType>(doubles(c.at("vectors")), {}), c);
}

TEMPLATE_TEST_CASE("FoX and PaTH attend as flash-linear-attention's references do", "", float,
                   double) {
  const Published<TestType> g;
  const auto& fox = g.tables("fox");
  g.tokens.check_attended(Fox<TestType>({doubles(fox.at("weight")), doubles(fox.at("bias"))}),
                          g.of("fox"));
  const auto& path = g.tables("path");
  g.tokens.check_attended(Path<TestType>({doubles(path.at("direction")), doubles(path.at("gate")),
                                          doubles(path.at("bias"))}),
                          g.of("path"));
}

TEMPLATE_TEST_CASE("Sticks break as in the authors' reference and in flash-linear-attention", "",
                   float, double) {
  const Published<TestType> g;
  const auto& in = g.tokens;
  Positions before = in.at;
  for (Position& p : before) --p;
  for (const auto& [name, queries] :
       {std::pair("with its own key", in.at), std::pair("without its own key", before)}) {
    INFO(name);
    const auto out = attention_from_qkv<TestType>(
        NoEncoding<TestType>(), {in.q, in.k, in.v, in.at, in.at}, Mask::causal(queries, in.at),
        {.weights = WeightRule::stick_breaking});
    in.check_output(out, g.of("stick_breaking").at(name));
  }
}

TEMPLATE_TEST_CASE("FoX and PaTH read the layer's input as flash-linear-attention's layers do", "",
                   float, double) {
  const Published<TestType> g;
  const auto& c = g.of("of_the_input");
  const auto& in = g.tokens;
  const Matrix<TestType> x = matrix_of<TestType>(c.at("x"));
  const auto check = [&](const Encoding& encoding, const char* name) {
    INFO(name);
    const AttentionInputs<TestType> given{in.q, in.k, in.v, in.at, in.at, in.head, {}, &x};
    in.check_output(attention_from_qkv<TestType>(encoding, given, Mask::causal(in.at, in.at)),
                    c.at(name));
  };
  const ForgetGates forget{doubles(c.at("forget")), doubles(c.at("forget bias")),
                           GateSource::input};
  check(Fox<TestType>(forget), "fox");
  PathTables tables{.direction = doubles(c.at("direction")),
                    .gate = doubles(c.at("gate")),
                    .bias = doubles(c.at("gate bias")),
                    .convolution = doubles(c.at("convolution")),
                    .source = GateSource::input};
  check(Path<TestType>(tables), "path");
  tables.forget = forget;
  check(Path<TestType>(tables), "path with forget gates");
}
