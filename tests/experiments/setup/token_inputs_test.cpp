#include <catch2/catch.hpp>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/studies/experiments.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// Three tokens of two channels with positions of their own.
Inputs three_at(std::vector<double> positions) {
  const Tensor x = tensor({3, 2}, {1, 0, 0, 2, 1, 1});
  const std::size_t count = positions.size();
  return {{"q", x}, {"k", x}, {"v", x}, {"positions", tensor({count}, std::move(positions))}};
}

Settings with_files(Settings settings) {
  for (const char* key : {"q", "k", "v", "positions"}) settings.emplace_back(key, "t.npy");
  settings.emplace_back("precision", "exact");
  return settings;
}

Result attend(const Inputs& inputs, Settings settings) {
  return run_experiment(attention_map_experiment(), with_files(std::move(settings)), inputs);
}

}  // namespace

TEST_CASE("By hand: ALiBi's bias is −slope times the gap that the file has") {
  // Of one head the slope is 2^-8.
  const Result result =
      attend(three_at({10, 13, 40}),
             {{"encoding", "alibi"}, {"heads", "1"}, {"causal", "false"}, {"show", "terms"}});
  const Array& bias = array(result, "term_alibi_linear_bias");
  const double gaps[3][3] = {{0, 3, 30}, {3, 0, 27}, {30, 27, 0}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      CHECK(at(bias, i, j) == Approx(-gaps[i][j] / 256).margin(0));
}

TEST_CASE("A causal query sees the keys at or behind its position, in whatever order they come") {
  const Result result = attend(three_at({5, 2, 9}), {{"encoding", "none"}, {"show", "weights"}});
  const Array& weights = array(result, "weights_none");
  CHECK(at(weights, 0, 0) > 0);  // 5 sees itself and 2
  CHECK(at(weights, 0, 1) > 0);
  CHECK(at(weights, 0, 2) == 0);
  CHECK(at(weights, 1, 0) == 0);  // 2 sees itself alone
  CHECK(at(weights, 1, 1) == 1);
}

TEST_CASE("Consecutive positions of a file are those of first_position, to the last bit") {
  const Settings settings{{"encoding", "rope"}, {"causal", "false"}};
  const Result by_file = attend(three_at({7, 8, 9}), settings);
  Inputs without = three_at({7, 8, 9});
  without.erase("positions");
  Settings from_seven = settings;
  for (const char* key : {"q", "k", "v"}) from_seven.emplace_back(key, "t.npy");
  for (const auto& [key, value] : Settings{{"precision", "exact"}, {"first_position", "7"}})
    from_seven.emplace_back(key, value);
  const Result by_first = run_experiment(attention_map_experiment(), from_seven, without);
  for (const char* name : {"logits_rope", "weights_rope", "output_rope"})
    CHECK(array(by_file, name).values == array(by_first, name).values);
}

TEST_CASE("Positions that are no positions are refused with the rule and what to do") {
  const auto refused = [](std::vector<double> positions) {
    return [positions] { return attend(three_at(positions), {{"encoding", "rope"}}); };
  };
  CHECK_THROWS_WITH(refused({0, 0.5, 1})(),
                    Contains("0.5") && Contains("whole numbers") && Contains("rope.factor"));
  CHECK_THROWS_WITH(refused({0, 1e17, 1})(), Contains("within ±2^53"));
  CHECK_THROWS_WITH(refused({0, 1})(), Contains("fewer than the 3 tokens"));
  Inputs table = three_at({0, 1, 2});
  table.insert_or_assign("positions", Input(tensor({1, 3}, {0, 1, 2})));
  CHECK_THROWS_WITH(attend(table, {{"encoding", "rope"}}), Contains("axis_rope.positions"));
  Inputs text = text_input("one two three");
  text.emplace("positions", tensor({3}, {0, 600, 1}));
  CHECK_THROWS_WITH(
      run_experiment(attention_map_experiment(),
                     with_random_contents({{"encoding", "learned"}, {"positions", "t.npy"}}), text),
      Contains("positions up to 600"));
  ParamSet both = params_for(attention_map_experiment(), with_files({{"first_position", "3"}}));
  CHECK_THROWS_WITH(both.require_all_set_are_used(), Contains("first_position=3"));
}

TEST_CASE("Terms of RoPE are functions of the distance between positions with gaps") {
  Inputs inputs = three_at({0, 100, 250});
  inputs.erase("v");
  Settings settings;
  for (const char* key : {"q", "k", "positions"}) settings.emplace_back(key, "t.npy");
  settings.emplace_back("encoding", "rope+alibi");
  const Result result = run_experiment(score_decomposition_experiment(), settings, inputs);
  for (const Check& c : result.checks) {
    INFO(c.name);
    CHECK(c.holds());
  }
  std::set<double> distances;
  for (const double r : column(table(result, "profiles"), "distance")) distances.insert(r);
  CHECK(distances == std::set<double>{-250, -150, -100, 0, 100, 150, 250});
}
