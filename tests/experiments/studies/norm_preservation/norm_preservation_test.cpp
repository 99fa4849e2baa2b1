#include "experiments/studies/experiments.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"
#include "tests/support/sampled.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Result run_norm_preservation(const Settings& settings) {
  return run_experiment(norm_preservation_experiment(), settings);
}

}  // namespace

TEST_CASE("RoPE of every kind keeps lengths, in every pipeline, at every distance") {
  for (const char* precision : {"exact", "eager_fp32", "eager_bf16", "fused_fp16"})
    for (const char* fraction : {"0.25", "1"})
      for (const char* partial : {"truncated", "proportional"}) {
        const Result result = run_norm_preservation({{"encoding", "rope"},
                                                     {"precision", precision},
                                                     {"max_position", "1099511627776"},
                                                     {"draws", "8"},
                                                     {"rope.fraction", fraction},
                                                     {"rope.partial", partial}});
        CHECK(result.checks.size() == 8);  // as chosen, and in all seven
        check_all_hold(result);
      }
}

TEST_CASE(
    "In exact RoPE changes a length by a few units in the last place, in bf16 by a share of one") {
  CHECK(scalar(run_norm_preservation({{"encoding", "rope"}, {"precision", "exact"}}),
               "rope_largest_change") < 5e-16);
  const double bf16 =
      scalar(run_norm_preservation({{"encoding", "rope"}, {"precision", "eager_bf16"}}),
             "rope_largest_change");
  CHECK(bf16 > 1e-4);
  CHECK(bf16 < 1e-2);
}

TEST_CASE("Adding positions lengthens vectors as NumPy's Monte Carlo has it") {
  if (!test::is_tried(2)) return;  // it takes as long as a hundred others
  const auto expected = golden("experiments.json").at("mean_ratio");
  const Result result = run_norm_preservation({{"draws", "1024"}, {"max_position", "200"}});
  check_all_hold(result);
  CHECK(scalar(result, "sinusoidal_mean_ratio") ==
        Approx(expected.at("sinusoidal d=64").get<double>()).margin(0.005));
  CHECK(scalar(result, "learned_mean_ratio") ==
        Approx(expected.at("deviation 0.02 d=64").get<double>()).margin(3e-4));
  CHECK(scalar(result, "rope_mean_ratio") == Approx(1).epsilon(1e-6));
}

TEST_CASE("Lengths of a trained table end where it ends, with a gap and no error") {
  const Result result = run_norm_preservation(
      {{"encoding", "learned"}, {"learned.length", "100"}, {"max_position", "128"}});
  check_all_hold(result);
  CHECK(std::isfinite(column(result, "mean_learned")[99]));
  CHECK(std::isnan(column(result, "mean_learned")[100]));
  CHECK(result.figures.size() == 2);  // no rotation to compare in all pipelines
}

TEST_CASE("Positions run evenly from 0 to the last, 257 of them at most") {
  const std::vector<double> few =
      column(run_norm_preservation({{"max_position", "3"}}), "position");
  CHECK(few == std::vector<double>{0, 1, 2, 3});
  const Result long_run =
      run_norm_preservation({{"max_position", "1000000000001"}, {"encoding", "rope"}});
  const std::vector<double> many = column(long_run, "position");
  CHECK(many.size() == 257);
  CHECK(many.front() == 0);
  CHECK(many.back() == 1000000000001);
  CHECK(many[128] == 500000000000);
}

TEST_CASE("The spread holds the mean, and the largest change is that of the table") {
  const Result result = run_norm_preservation({{"encoding", "sinusoidal"}});
  const auto& mean = column(result, "mean_sinusoidal");
  const auto& least = column(result, "least_sinusoidal");
  const auto& greatest = column(result, "greatest_sinusoidal");
  const double largest = scalar(result, "sinusoidal_largest_change");
  bool reached = false;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    CHECK(least[i] <= mean[i]);
    CHECK(mean[i] <= greatest[i]);
    for (const double change : {1 - least[i], greatest[i] - 1}) {
      CHECK(change <= largest);
      reached = reached || change == largest;
    }
  }
  CHECK(reached);
}

TEST_CASE("An added vector changes lengths by more than rounding, or the result says why not") {
  for (const char* pipeline : {"eager_bf16", "fused_bf16", "eager_fp16", "exact_fp32", "exact"})
    check_all_hold(run_norm_preservation({{"precision", pipeline}}));
  const Result hidden =
      run_norm_preservation({{"encoding", "learned"}, {"precision", "eager_bf16"}});
  for (const Check& check : hidden.checks) CHECK(check.name != "learned_changes_length");
  CHECK(description(hidden, "learned_largest_change").find("not checked: it is ") !=
        std::string::npos);
  CHECK_NOTHROW(check(run_norm_preservation({{"encoding", "learned"}, {"precision", "exact"}}),
                      "learned_changes_length"));
  CHECK_NOTHROW(
      check(run_norm_preservation({{"encoding", "sinusoidal"}, {"precision", "eager_bf16"}}),
            "sinusoidal_changes_length"));
}

TEST_CASE("The title says who keeps the length, and by how much others change it") {
  const auto title = [](const char* encodings) {
    return run_experiment(norm_preservation_experiment(), {{"encoding", encodings}})
        .figures.at(0)
        .title;
  };
  CHECK_THAT(title("rope+sinusoidal"),
             Catch::Matchers::Contains("RoPE keeps the length of a vector to ") &&
                 Catch::Matchers::Contains("; sinusoidal changes it by up to "));
  CHECK_THAT(title("sinusoidal"),
             Catch::Matchers::StartsWith("sinusoidal changes the length of a vector by up to "));
}
