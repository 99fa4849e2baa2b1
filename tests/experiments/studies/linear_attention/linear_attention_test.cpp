#include "experiments/studies/experiments.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Result run_linear_attention(const Settings& settings, const Inputs& inputs = {}) {
  return run_experiment(linear_attention_experiment(), settings, inputs);
}

/// A number of the table of variants.
double number(const Result& result, const std::string& features, const std::string& variant,
              const std::string& name) {
  const Table& t = table(result, "variants");
  const auto& of_features = column<std::string>(t, "features");
  const auto& of_variant = column<std::string>(t, "variant");
  for (std::size_t i = 0; i < of_features.size(); ++i)
    if (of_features[i] == features && of_variant[i] == variant) return column(t, name)[i];
  throw std::runtime_error("no row " + features + ", " + variant);
}

Tensor tensor_of(const nlohmann::json& rows, const std::string& name) {
  Tensor tensor{name, {rows.size(), rows.at(0).size()}, {}};
  for (const auto& row : rows)
    for (const auto& value : row) tensor.values.push_back(value.get<double>());
  return tensor;
}

Inputs golden_inputs(const nlohmann::json& file) {
  return {{"q", tensor_of(file.at("q"), "q.npy")},
          {"k", tensor_of(file.at("k"), "k.npy")},
          {"v", tensor_of(file.at("v"), "v.npy")}};
}

}  // namespace

TEST_CASE("Signs, sums and distances of eq. (19) and its variants equal those of explicit loops") {
  const nlohmann::json file = golden("attention_statistics.json");
  for (const char* causal : {"false", "true"}) {
    const Result result = run_linear_attention({{"causal", causal},
                                                {"features", "elu_plus_one+relu"},
                                                {"base", file.at("base").dump()},
                                                {"shift", file.at("shift").dump()}},
                                               golden_inputs(file));
    for (const auto& c : file.at("linear")) {
      if (c.at("causal").get<bool>() != (std::string(causal) == "true")) continue;
      const auto features = c.at("features").get<std::string>();
      const auto variant = c.at("variant").get<std::string>();
      for (const char* name : {"negative_share", "most_negative", "negative_mass", "row_sum_min",
                               "row_sum_max", "row_sum_error", "half_difference"}) {
        INFO(features << ", " << variant << ", causal " << causal << ": " << name);
        CHECK(number(result, features, variant, name) ==
              Approx(c.at(name).get<double>()).epsilon(1e-11).margin(1e-12));
      }
      if (variant == "rotated_before")
        CHECK(number(result, features, variant, "shift_residual") ==
              Approx(c.at("shift_residual").get<double>()).epsilon(1e-11));
    }
  }
}

TEST_CASE("Eq. (19) weighs negatively with FAVOR+ and relu, and its rows do not sum to 1") {
  const Result result = run_linear_attention({});
  CHECK(number(result, "favor", "paper", "negative_share") > 0.05);
  CHECK(number(result, "relu", "paper", "most_negative") < 0);
  CHECK(number(result, "relu", "paper", "row_sum_max") < 1);
  CHECK(number(result, "favor", "paper", "row_sum_min") < 0);
  CHECK(number(result, "favor", "rotated_before", "most_negative") == 0);
  check_all_hold(result);
}

TEST_CASE("Every claim holds causal or not, near and far, for few and many features") {
  for (const Settings& settings :
       {Settings{{"causal", "true"}}, Settings{{"shift", "1099511627776"}, {"tokens", "40"}},
        Settings{{"favor_features", "8"}, {"dim", "8"}, {"deviation", "0.3"}},
        Settings{{"tokens", "2"}, {"features", "elu_plus_one"}},
        Settings{{"seed", "7"}, {"base", "3"}}})
    check_all_hold(run_linear_attention(settings));
}

TEST_CASE("FAVOR+ with q and k turned first comes nearer to softmax about as 1/√M") {
  const Result result =
      run_linear_attention({{"deviation", "0.3"}, {"draws", "8"}, {"features", "elu_plus_one"}});
  const auto& before = column(table(result, "favor_error"), "rotated_before");
  const auto& features = column(table(result, "favor_error"), "features");
  CHECK(features.front() == 16);
  CHECK(features.back() == 2048);
  const double slope = std::log(before.back() / before.front()) / std::log(2048.0 / 16.0);
  CHECK(slope == Approx(-0.5).margin(0.1));
}

TEST_CASE("Counted cost crosses where the scalar says") {
  const Result result = run_linear_attention({{"longest", "65536"}});
  const auto& lengths = column(table(result, "cost"), "length");
  const auto& softmax = column(table(result, "cost"), "softmax");
  for (const char* name : {"elu_plus_one", "favor"}) {
    const auto& linear = column(table(result, "cost"), name);
    double crossover = 0;
    for (const Scalar& s : result.scalars)
      if (s.name == std::string(name) + "_crossover") crossover = s.value;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      CHECK((linear[i] <= softmax[i]) == (lengths[i] >= crossover));
  }
}

TEST_CASE("Tensors that do not fit are refused by name") {
  const nlohmann::json file = golden("attention_statistics.json");
  Inputs only_q{{"q", tensor_of(file.at("q"), "q.npy")}};
  CHECK_THROWS_AS(run_linear_attention({}, only_q), UsageError);
  Inputs wrong = golden_inputs(file);
  wrong["k"] = tensor_of(file.at("v"), "v.npy");
  CHECK_THROWS_AS(run_linear_attention({}, wrong), DataError);
  Inputs odd = golden_inputs(file);
  odd["q"] = odd["k"] = tensor_of(file.at("v"), "v.npy");
  CHECK_THROWS_AS(run_linear_attention({}, odd), DataError);
}

TEST_CASE(
    "Effects that rounding may hide are not claimed, and nothing is claimed without weights") {
  // Two tokens with large contents: FAVOR+ gives one key all the weight, and 2048 features are far
  // too few for e^(‖q + k‖²/√d).
  const Result saturated = run_linear_attention({{"tokens", "2"}, {"deviation", "4"}});
  check_all_hold(saturated);
  for (const Check& check : saturated.checks) CHECK(check.name != "favor_approaches_softmax");
  CHECK(scalar(saturated, "features_to_resolve") > 4 * 2048);
  // ReLU of few negative numbers leaves queries, and for some seeds all of them, without a weight.
  for (const char* seed : {"0", "1", "2", "3", "4", "5", "6", "7"})
    check_all_hold(run_linear_attention(
        {{"tokens", "2"}, {"dim", "2"}, {"features", "relu"}, {"seed", seed}}));
  CHECK_NOTHROW(check(run_linear_attention({}), "favor_approaches_softmax"));
  CHECK_NOTHROW(check(run_linear_attention({}), "paper_does_not_sum_to_one"));
  CHECK_NOTHROW(check(run_linear_attention({}), "rotated_before_is_not_relative"));
}

TEST_CASE("It opens on the sums of the weights, whose ends are in the title") {
  const Result result = run_experiment(linear_attention_experiment(), {{"tokens", "32"}});
  const Figure& first = result.figures.at(0);
  CHECK(first.id == "row_sums");
  double least = 1;
  for (const Series& sums : std::get<LinePlot>(first.content).series)
    for (const double sum : sums.y) least = sum < least ? sum : least;
  CHECK_THAT(first.title, Catch::Matchers::Contains(fmt::format("but to {:.2f} … ", least)));
}
