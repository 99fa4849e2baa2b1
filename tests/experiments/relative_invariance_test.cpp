#include "experiments/relative_invariance.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Result run(const Settings& settings) { return run_experiment<RelativeInvariance>(settings); }

double largest_error(const Result& result, const std::string& encoding) {
  for (const Scalar& s : result.scalars)
    if (s.name == encoding + "_largest_error") return s.value;
  throw std::runtime_error("no scalar of " + encoding);
}

bool all_hold(const Result& result) {
  return std::all_of(result.checks.begin(), result.checks.end(),
                     [](const Check& c) { return c.holds(); });
}

}  // namespace

TEST_CASE("In fp64 RoPE is invariant to 1e-14 under any shift, in fp32 to 1e-5") {
  const Result wide = run({{"precision", "fp64"}, {"max_shift", "1099511627776"}});
  CHECK(largest_error(wide, "rope") < 2e-14);
  CHECK(largest_error(wide, "rope") > 0);
  const double narrow = largest_error(run({{"precision", "fp32"}}), "rope");
  CHECK(narrow < 2e-5);
  CHECK(narrow > 1e-8);
}

TEST_CASE("ALiBi and no encoding are exactly invariant, sinusoids are not at all") {
  const Result result = run({{"encoding", "none+alibi+sinusoidal"}});
  CHECK(largest_error(result, "none") == 0);
  CHECK(largest_error(result, "alibi") == 0);
  CHECK(largest_error(result, "sinusoidal") > 1);
  CHECK(all_hold(result));
}

TEST_CASE("Relative encodings have their largest change in ulp, the worst of the table's column") {
  const Result result = run({{"encoding", "rope+alibi+sinusoidal"}});
  std::vector<std::string> names;
  for (const Scalar& s : result.scalars) {
    if (s.unit != "ulp") continue;
    names.push_back(s.name);
    const std::string encoding = s.name.substr(0, s.name.find("_largest_ulp"));
    for (const Column& column : result.tables.at(0).columns) {
      if (column.name != "ulp_" + encoding) continue;
      const auto& ulps = std::get<std::vector<double>>(column.values);
      for (const double one : ulps) CHECK(one <= s.value);
      CHECK(std::count(ulps.begin(), ulps.end(), s.value) > 0);
    }
  }
  CHECK(names == std::vector<std::string>{"rope_largest_ulp", "alibi_largest_ulp"});
}

TEST_CASE("bf16 keeps invariance while angles are exact, and breaks it when they are rounded") {
  CHECK(all_hold(run({{"precision", "bf16"}})));
  CHECK(all_hold(run({{"precision", "fp16"}})));
  const Result broken = run({{"precision", "bf16"}, {"rounded_stages", "position+angle"}});
  CHECK_FALSE(all_hold(broken));
  CHECK(largest_error(broken, "rope") > 1);
}

TEST_CASE("Each encoding breaks down at its own stages: how far bf16 is from fp64 says so") {
  const auto rounding = [](const char* encoding, const char* stages) {
    const Result result = run({{"encoding", encoding},
                               {"precision", "bf16"},
                               {"rounded_stages", stages},
                               {"span", "1000"}});
    for (const Scalar& s : result.scalars)
      if (s.name == std::string(encoding) + "_largest_rounding") return s.value;
    throw std::runtime_error("no scalar");
  };
  constexpr double of_fp32 = 2e-4;  // products of 64 terms, and ALiBi's biases of up to 500
  CHECK(rounding("rope", "input") < of_fp32);  // a stage that RoPE does not have
  CHECK(rounding("rope", "position") > 1);
  CHECK(rounding("sinusoidal", "position") > 1);
  CHECK(rounding("alibi", "distance") > 0.1);
  CHECK(rounding("t5", "log") > 0.05);  // another bucket is another bias
  CHECK(rounding("t5", "qk") > 1e-2);
  CHECK(rounding("shaw", "table") > 1e-4);
  CHECK(rounding("transformer_xl", "projected") > 1e-5);
}

TEST_CASE("In fp64 there is nothing to compare with, and no figure of it") {
  CHECK(run({{"precision", "fp64"}}).figures.size() == 2);
  CHECK(run({{"precision", "fp32"}}).figures.size() == 3);
}

TEST_CASE("Random projections change neither verdict") {
  CHECK(all_hold(run({{"projection", "random"}})));
}

TEST_CASE("A trained table ends where it ends: its curve has a gap from there, and no error") {
  const Result result = run({{"encoding", "learned+tupe"},
                             {"span", "100"},
                             {"learned.length", "200"},
                             {"tupe.length", "200"}});
  CHECK(all_hold(result));
  for (const std::size_t column : {1u, 4u}) {
    const auto& error = std::get<std::vector<double>>(result.tables[0].columns[column].values);
    CHECK(error[6] > 0);          // positions up to 99 + 64
    CHECK(std::isnan(error[7]));  // 99 + 128
  }
}

TEST_CASE("Every relative encoding is invariant in fp64, tables and all") {
  const Result result =
      run({{"encoding", "shaw+transformer_xl+t5+deberta"}, {"precision", "fp64"}});
  CHECK(all_hold(result));
  for (const char* encoding : {"shaw", "transformer_xl", "t5", "deberta"})
    CHECK(largest_error(result, encoding) < 1e-13);
}

TEST_CASE("Shifts are the powers of two up to the largest") {
  const Result result = run({{"max_shift", "100"}});
  CHECK(std::get<std::vector<double>>(result.tables[0].columns[0].values) ==
        std::vector<double>{1, 2, 4, 8, 16, 32, 64});
}
