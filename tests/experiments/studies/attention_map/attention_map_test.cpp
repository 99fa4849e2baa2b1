#include "experiments/studies/experiments.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/errors.h"
#include "tests/support/experiment_run.h"
#include "tests/support/layers.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result run(const Inputs& inputs, const Settings& settings) {
  return run_experiment(attention_map_experiment(), settings, inputs);
}

}  // namespace

TEST_CASE("Equal tokens are equal vectors: without positions their rows and columns are the same") {
  const Result result =
      run(text_input("the cat and the dog"), {{"encoding", "none"}, {"causal", "false"}});
  const Array& logits = array(result, "logits_none");
  REQUIRE(logits.shape == std::vector<std::size_t>{5, 5});
  for (std::size_t j = 0; j < 5; ++j) {
    CHECK(at(logits, 0, j) == at(logits, 3, j));
    CHECK(at(logits, j, 0) == at(logits, j, 3));
  }
  CHECK(at(logits, 0, 0) != at(logits, 1, 1));
}

TEST_CASE("A word has the same vector in another text") {
  const Settings settings{{"encoding", "none"}, {"causal", "false"}};
  const Result a = run(text_input("cat dog"), settings);
  const Result b = run(text_input("dog bird cat"), settings);
  CHECK(at(array(a, "logits_none"), 0, 1) == at(array(b, "logits_none"), 2, 0));
}

TEST_CASE("match is the mean logit of a token with itself") {
  const Result result = run(text_input("one two three four five six seven eight nine ten"),
                            {{"encoding", "none"}, {"match", "9"}, {"dim", "1024"}});
  const Array& logits = array(result, "logits_none");
  double mean = 0;
  for (std::size_t i = 0; i < 10; ++i) mean += at(logits, i, i) / 10;
  CHECK(mean == Approx(9).epsilon(0.1));
}

TEST_CASE("With RoPE, identity projections make a repeated word matter less the farther it is") {
  const Result result =
      run(text_input("a b a c c c c c c c c c a"), {{"encoding", "rope"}, {"dim", "256"}});
  const Array& logits = array(result, "logits_rope");
  CHECK(at(logits, 12, 12) > at(logits, 12, 2));
}

TEST_CASE("A causal map hides keys ahead, with weight exactly 0 and a mask in the figure") {
  const Result result = run(text_input("a b c"), {});
  CHECK(at(array(result, "weights_rope"), 0, 1) == 0);
  CHECK(at(array(result, "weights_rope"), 0, 0) == 1);
  const auto& map = std::get<Heatmap>(result.figures.at(0).content);
  CHECK(at(*map.masked, 0, 1) == 1);
  CHECK(at(*map.masked, 1, 0) == 0);
  CHECK(map.row_labels == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("By hand: q and k given, weights as softmax(q kᵀ/√d)") {
  const Inputs inputs{{"q", tensor({2, 1}, {1, 2})}, {"k", tensor({2, 1}, {3, 4})}};
  const Result result = run(inputs, {{"encoding", "none"}, {"causal", "false"}});
  const Array& weights = array(result, "weights_none");
  CHECK(at(weights, 0, 0) == Approx(std::exp(3.0) / (std::exp(3.0) + std::exp(4.0))));
  CHECK(at(weights, 1, 1) == Approx(std::exp(8.0) / (std::exp(6.0) + std::exp(8.0))));
  CHECK(at(array(result, "output_none"), 0, 0) ==
        Approx((3 * std::exp(3.0) + 4 * std::exp(4.0)) / (std::exp(3.0) + std::exp(4.0))));
}

TEST_CASE("A head is taken from [heads, N, d]") {
  const Inputs inputs{{"q", tensor({2, 1, 2}, {1, 0, 0, 5})},
                      {"k", tensor({2, 1, 2}, {1, 0, 0, 5})}};
  const Result second = run(inputs, {{"encoding", "none"}, {"heads", "2"}, {"head", "1"}});
  CHECK(at(array(second, "logits_none"), 0, 0) == Approx(25 / std::sqrt(2.0)));
}

TEST_CASE("All named terms are written, and drawn when asked for") {
  const Result result =
      run(text_input("a b"), {{"encoding", "sinusoidal+alibi"}, {"show", "terms"}});
  for (const char* name :
       {"term_sinusoidal_content_to_position", "term_sinusoidal_position_to_position",
        "term_alibi_linear_bias", "output_alibi"})
    CHECK_NOTHROW(array(result, name));
  CHECK(result.figures.size() == 6);
}

TEST_CASE("Inputs that contradict each other are refused with value, rule and remedy") {
  const Tensor two = tensor({2, 2}, {1, 2, 3, 4});
  CHECK_THROWS_WITH(run({{"q", two}}, {}), Contains("q without k: attention needs q and k"));
  CHECK_THROWS_WITH(run({{"v", two}}, {}), Contains("k or v without q"));
  CHECK_THROWS_WITH(run({{"q", two}, {"k", tensor({1, 2}, {1, 2})}}, {}),
                    Contains("must have the same N and d"));
  CHECK_THROWS_WITH(run({{"q", two}, {"k", two}, {"v", tensor({1, 2}, {1, 2})}}, {}),
                    Contains("k and v must have the same N"));
  CHECK_THROWS_WITH(run({{"q", tensor({4}, {1, 2, 3, 4})}, {"k", two}}, {}),
                    Contains("t.npy of shape [4]: must be [N, d] or [heads, N, d]"));
  CHECK_THROWS_WITH(
      run({{"q", tensor({1, 1, 2}, {1, 2})}, {"k", tensor({1, 1, 2}, {1, 2})}}, {{"head", "3"}}),
      Contains("has no head 3"));
  CHECK_THROWS_WITH(run({{"q", two}, {"k", two}}, {{"encoding", "sinusoidal"}}),
                    Contains("encoding=sinusoidal with q and k"));
  CHECK_THROWS_WITH(
      run({{"q", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}, {"k", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}},
          {}),
      Contains("must be even"));
  CHECK_THROWS_WITH(run(text_input("a"), {{"head", "8"}}),
                    Contains("head=8: must be below heads=8"));
  CHECK_THROWS_AS(run({}, {}), UsageError);
}
