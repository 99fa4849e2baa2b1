#include "core/attention/weight_rules.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "core/attention/head.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

const Scoring sticks{.weights = WeightRule::stick_breaking};

/// Weights of given logits.
Matrix<double> broken(const Matrix<double>& logits, const Positions& n, const Mask& mask = {}) {
  AttentionOutput<double> out;
  out.logits = logits;
  stick_breaking<double>(mask, n, out);
  return out.weights;
}

}  // namespace

TEST_CASE("By hand: shares 1/2, 3/4 and 1/5 of what is left, the last key first") {
  Matrix<double> logits(1, 3);
  logits << 0, std::log(3.0), -std::log(4.0);
  Matrix<double> expected(1, 3);
  expected << 0.8 * 0.25 * 0.5, 0.8 * 0.75, 0.2;
  CHECK(largest_difference(broken(logits, {0, 1, 2}), expected) < 1e-15);
  Matrix<double> shuffled(1, 3);  // by position, not by place
  shuffled << -std::log(4.0), 0, std::log(3.0);
  Matrix<double> moved(1, 3);
  moved << expected(0, 2), expected(0, 0), expected(0, 1);
  CHECK(largest_difference(broken(shuffled, {9, 1, 4}), moved) < 1e-15);
}

TEMPLATE_TEST_CASE(
    "Stick-breaking attention equals products over pairs, with and without its own key", "", float,
    double) {
  const auto file = golden("rules.json");
  const auto& in = file.at("inputs");
  const Matrix<TestType> q = matrix_of<TestType>(in.at("q")), k = matrix_of<TestType>(in.at("k")),
                         v = matrix_of<TestType>(in.at("v"));
  const Positions at = consecutive_positions(q.rows());
  const double tolerance = sizeof(TestType) == 8 ? 1e-15 : 1e-6;
  const auto check = [&](const Mask& mask, const char* name) {
    const auto& expected = file.at("attention").at(name);
    const auto out =
        attention_from_qkv<TestType>(NoEncoding<TestType>(), {q, k, v, at, at}, mask, sticks);
    CHECK(largest_difference(out.weights, matrix_of<TestType>(expected.at("weights"))) < tolerance);
    CHECK(largest_difference(out.output, matrix_of<TestType>(expected.at("output"))) <
          10 * tolerance);
    return out;
  };
  CHECK(check(Mask::causal(at, at), "stick_breaking").fully_masked_rows == 0);
  Positions before = at;
  for (Position& p : before) --p;
  CHECK(check(Mask::causal(before, at), "stick_breaking without its own key").fully_masked_rows ==
        1);
}

TEST_CASE("Weights take no more than the stick, at logits of any size, and 0 where masked") {
  Random random(1, "sticks");
  for (const double size : {0.1, 10.0, 1e4, 1e300}) {
    const Matrix<double> logits = size * normal_matrix<double>(random, 6, 40);
    const Positions n = consecutive_positions(40);
    const Mask mask = Mask::causal(Positions{0, 5, 9, 20, 38, 39}, n);
    const Matrix<double> weights = broken(logits, n, mask);
    CHECK(weights.allFinite());
    CHECK((weights.array() >= 0).all());
    for (Index i = 0; i < 6; ++i) {
      CHECK(weights.row(i).sum() <= 1 + 1e-14);
      for (Index j = 0; j < 40; ++j)
        if (!mask.allows(i, j)) CHECK(weights(i, j) == 0);
    }
  }
}

TEST_CASE("The same by rows and for the output alone, and NaN rows are counted") {
  Random random(2, "sticks");
  const Matrix<double> x = normal_matrix<double>(random, 90, 8);
  const Positions at = consecutive_positions(90);
  const Rope<double> rope({.d_head = 8});
  const auto doors = SoftmaxDoors<double>::of(rope);
  const Mask mask = Mask::causal(at, at);
  const auto whole = softmax_attention<double>({x, x, x, at, at}, doors, mask, sticks);
  const auto alone = attention_output<double>({x, x, x, at, at}, doors, mask, sticks, 2);
  CHECK(alone.output == whole.output);
  AttentionOutput<double> out;
  out.logits = Matrix<double>::Zero(2, 3);
  out.logits(1, 1) = std::numeric_limits<double>::quiet_NaN();
  stick_breaking<double>(Mask(), Positions{0, 1, 2}, out);
  CHECK(out.nan_rows == 1);
  CHECK(out.weights(1, 2) == 0.5);
  CHECK(std::isnan(out.weights(1, 1)));
  CHECK(std::isnan(out.weights(1, 0)));
}
