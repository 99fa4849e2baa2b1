#include <catch2/catch.hpp>

#include <cmath>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/studies/experiments.h"
#include "tests/support/experiment_run.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result run_identify(const Settings& settings, const Inputs& inputs = {}) {
  return run_experiment(identify_experiment(), settings, inputs);
}

std::string first_rope(const Result& result) {
  return std::get<std::vector<std::string>>(table(result, "hypotheses").columns.front().values)
      .front();
}

}  // namespace

TEST_CASE("A planted defect is found, and what the usual rope leaves shows where it acts") {
  const Result result = run_identify({{"defect", "decode_at_zero"}, {"tokens", "64"}});
  check_all_hold(result);
  CHECK_THAT(first_rope(result), Contains("positions 0 from row 32 on"));
  for (const auto& array : result.arrays) {
    if (array->name != "residual_of_usual_rope") continue;
    REQUIRE(array->shape == std::vector<std::size_t>{64, 64});
    double early = 0, late = 0;
    for (std::size_t c = 0; c < 64; ++c)
      for (std::size_t n = 0; n < 64; ++n) (n < 32 ? early : late) += (*array)[c * 64 + n];
    CHECK(early == 0);
    CHECK(late > 1000);
  }
}

TEST_CASE("Files are read head by head, and one alone is refused") {
  // Interleaved pairs, theta 1 and 0.01, at positions 3 to 6.
  std::vector<double> before, after;
  for (int h = 0; h < 2; ++h)
    for (int n = 3; n < 7; ++n)
      for (int t = 0; t < 2; ++t) {
        const double a = std::sin(7.0 * n + 3 * t + h), b = std::cos(2.0 * n + t + 5 * h);
        const double angle = n * (t == 0 ? 1.0 : 0.01);
        before.insert(before.end(), {a, b});
        after.insert(after.end(), {a * std::cos(angle) - b * std::sin(angle),
                                   b * std::cos(angle) + a * std::sin(angle)});
      }
  const Inputs inputs{{"before", tensor({2, 4, 4}, before)}, {"after", tensor({2, 4, 4}, after)}};
  const Settings files{{"before", "q.npy"}, {"after", "r.npy"}, {"first_position", "3"}};
  const Result result = run_identify(files, inputs);
  check_all_hold(result);
  CHECK_THAT(first_rope(result), Contains("interleaved pairs; base 10000"));
  CHECK_THROWS_AS(run_identify(files, {{"before", tensor({2, 4, 4}, before)}}), UsageError);
  CHECK_THROWS_AS(run_identify(files, {{"before", tensor({2, 4, 4}, before)},
                                       {"after", tensor({4, 2, 4}, after)}}),
                  DataError);
}

TEST_CASE("What no rope has made fails the check") {
  std::vector<double> before, after;
  for (int i = 0; i < 64; ++i) {
    before.push_back(std::sin(3.0 * i));
    after.push_back(std::cos(11.0 * i * i));
  }
  const Inputs inputs{{"before", tensor({8, 8}, before)}, {"after", tensor({8, 8}, after)}};
  const Result result = run_identify({{"before", "q.npy"}, {"after", "r.npy"}}, inputs);
  CHECK_FALSE(check(result, "first_hypothesis_explains").holds());
}

TEST_CASE("Nothing deviates where no rope explains a tensor, or where nothing is expected") {
  const TempFolder folder;
  const auto deviates = [&](const char* config, bool turned) {
    const std::string path = folder.file("config.json", config).string();
    std::vector<double> before, after;
    for (int i = 0; i < 32 * 8; ++i) before.push_back(std::sin(3.0 * i * i));
    for (std::size_t n = 0; n < 32; ++n)
      for (std::size_t t = 0; t < 8; ++t) {
        const auto p = static_cast<double>(n), pair = static_cast<double>(t % 4);
        const double angle = p * std::pow(10000.0, -pair / 4.0);
        const double x = before.at(8 * n + t), y = before.at(8 * n + (t + 4) % 8);
        after.push_back(turned ? std::cos(angle) * x + std::sin(angle) * (t < 4 ? -y : y)
                               : std::cos(11.0 * (p + static_cast<double>(t * t))));
      }
    const Settings asked{{"expect", path}};
    Inputs inputs = load_inputs(params_for(identify_experiment(), asked)).inputs;
    inputs.insert_or_assign("before", tensor({32, 8}, before));
    inputs.insert_or_assign("after", tensor({32, 8}, after));
    const Result result =
        run_identify({{"before", "q.npy"}, {"after", "r.npy"}, {"expect", path}}, inputs);
    for (const Table& table : result.tables)
      if (table.name == "deviations")
        return !std::get<std::vector<std::string>>(table.columns.front().values).empty();
    return false;
  };
  const char* other = R"({"model_type": "llama", "hidden_size": 32, "num_attention_heads": 4,
                          "num_hidden_layers": 1, "rope_theta": 500.0})";
  CHECK(deviates(other, true));
  CHECK_FALSE(deviates(other, false));
  CHECK_FALSE(deviates(R"({"model_type": "unheard_of", "hidden_size": 32,
                           "num_attention_heads": 4, "num_hidden_layers": 1})",
                       true));
}
