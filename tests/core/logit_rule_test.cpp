#include "core/logit_rule.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "core/attention/head.h"
#include "core/attention/weight_rules.h"
#include "core/encodings/alibi.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

LogitRuleKind kind_named(const std::string& name) {
  if (name == "llama4") return LogitRuleKind::llama4;
  if (name == "mistral") return LogitRuleKind::mistral;
  return name == "inkling" ? LogitRuleKind::inkling : LogitRuleKind::beam;
}

const LogitRule scalable{LogitRuleKind::scalable_softmax, 0.43, 1.0, 0.25};

}  // namespace

TEST_CASE("By hand: ln 2 more at 8192 tokens, and three keys at s = 1/ln 3") {
  const LogitRule llama{LogitRuleKind::llama4, 1.0, 8192.0};
  CHECK(logit_factor(llama, 8190, 9) == 1);
  CHECK(logit_factor(llama, 8191, 9) == Approx(1 + std::log(2.0)));
  CHECK(logit_factor({LogitRuleKind::mistral, 1.0, 8192.0}, 8191, 9) == 1);
  CHECK(logit_factor({LogitRuleKind::beam, 2.0, 2.0}, 3, 9) == 9);
  const LogitRule by_keys{LogitRuleKind::scalable_softmax, 1.0 / std::log(3.0), 1.0, 0.5};
  CHECK(logit_factor(by_keys, 1000, 3) == Approx(1.5));
  CHECK(logit_factor(by_keys, 1000, 0) == 0.5);
  CHECK(logit_factor({}, 1000, 3) == 1);
}

TEST_CASE("Factors of the released rules are those of Transformers, to its fp32") {
  const auto file = golden("rules.json");
  const auto at = file.at("positions").get<Positions>();
  for (const auto& [name, c] : file.at("factors").items())
    for (std::size_t i = 0; i < at.size(); ++i) {
      INFO(name << " at " << at[i]);
      const LogitRule rule{kind_named(name), c.at("strength"), c.at("length")};
      CHECK(logit_factor(rule, at[i], 1) ==
            Approx(c.at("values").at(i).get<double>()).epsilon(3e-7));
    }
}

TEMPLATE_TEST_CASE("Scalable-Softmax is n^(s z) over their sum", "", float, double) {
  const auto file = golden("rules.json");
  const auto& in = file.at("inputs");
  const Matrix<TestType> q = matrix_of<TestType>(in.at("q")), k = matrix_of<TestType>(in.at("k")),
                         v = matrix_of<TestType>(in.at("v"));
  const Positions at = consecutive_positions(q.rows(), 5);
  const auto& expected = file.at("attention").at("scalable_softmax");
  const auto out = attention_from_qkv<TestType>(NoEncoding<TestType>(), {q, k, v, at, at},
                                                Mask::causal(at, at), {.rule = scalable});
  const double tolerance = sizeof(TestType) == 8 ? 1e-14 : 1e-6;
  CHECK(largest_difference(out.weights, matrix_of<TestType>(expected.at("weights"))) < tolerance);
  CHECK(largest_difference(out.output, matrix_of<TestType>(expected.at("output"))) < tolerance);
}

TEST_CASE("A rule multiplies every term of a query, but no mask's, by any path") {
  Random random(3, "rules");
  const Index d = 8, n = 70;
  const Matrix<double> q = normal_matrix<double>(random, n, d),
                       k = normal_matrix<double>(random, n, d),
                       v = normal_matrix<double>(random, n, d);
  const Positions at = consecutive_positions(n, 100);
  const Mask causal = Mask::causal(at, at);
  const Rope<double> rope({.d_head = d});
  const Alibi<double> alibi(4);
  const Shaw<double> shaw(normal_matrix<double>(random, 9, d), {});
  for (const LogitRule& rule : {scalable, LogitRule{LogitRuleKind::llama4, 0.3, 20.0}})
    for (const Encoding* encoding :
         {static_cast<const Encoding*>(&rope), static_cast<const Encoding*>(&alibi),
          static_cast<const Encoding*>(&shaw)}) {
      const AttentionInputs<double> in{q, k, v, at, at, 1};
      const auto plain = attention_from_qkv<double>(*encoding, in, causal);
      const auto ruled = attention_from_qkv<double>(*encoding, in, causal, {.rule = rule});
      for (Index i = 0; i < n; ++i) {
        const double factor = logit_factor(rule, at[static_cast<std::size_t>(i)], i + 1);
        for (std::size_t t = 0; t < plain.terms.size(); ++t)
          CHECK(largest_difference((factor * plain.terms[t].logits.row(i)).eval(),
                                   ruled.terms[t].logits.row(i).eval()) < 1e-12);
      }
      const auto doors = SoftmaxDoors<double>::of(*encoding);
      const auto alone = attention_output<double>(in, doors, causal, {.rule = rule});
      CHECK(largest_difference(alone.output, ruled.output) < 1e-13);
    }
  const Matrix<double> added = Matrix<double>::Constant(n, n, 0.5);
  const auto masked = attention_from_qkv<double>(rope, {q, k, v, at, at}, Mask::additive(added),
                                                 {.rule = scalable});
  CHECK(masked.terms.back().logits == added);
}

TEST_CASE("The four terms of added positions are multiplied too, and still sum to the logits") {
  Random random(4, "rules");
  const Matrix<double> x = normal_matrix<double>(random, 60, 8);
  const Positions at = consecutive_positions(60);
  const auto out =
      attention_head<double>(Sinusoidal<double>(8), random_projections<double>(1, 0, 8, 8),
                             {x, x, at, at}, Mask::causal(at, at), {.rule = scalable});
  Matrix<double> sum = Matrix<double>::Zero(60, 60);
  for (const auto& term : out.terms) sum += term.logits;
  CHECK(largest_difference(sum, out.logits) < 1e-12);
}

TEST_CASE("Lengths and strengths that are no numbers are refused") {
  const Matrix<double> x = Matrix<double>::Ones(2, 2);
  const Positions at{0, 1};
  const auto with = [&](const LogitRule& rule) {
    return attention_from_qkv<double>(NoEncoding<double>(), {x, x, x, at, at}, {}, {.rule = rule});
  };
  CHECK_THROWS_WITH(with({LogitRuleKind::llama4, 0.1, 0.0}), Contains("logit_rule.length=0"));
  CHECK_THROWS_WITH(with({LogitRuleKind::beam, std::nan(""), 1.0}), Contains("strength"));
}
