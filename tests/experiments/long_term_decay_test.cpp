#include "experiments/long_term_decay.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace orrery;

namespace {

Result run(std::initializer_list<std::pair<const char*, const char*>> settings) {
  const LongTermDecay experiment;
  ParamSet params(experiment.info().params);
  for (const auto& [key, value] : settings) params.set(key, value);
  SilentProgress progress;
  return experiment.run(params, {}, progress);
}

double scalar(const Result& result, const std::string& name) {
  for (const Scalar& s : result.scalars)
    if (s.name == name) return s.value;
  FAIL("no scalar " << name);
  return 0;
}

const std::vector<double>& column(const Result& result, const std::string& name) {
  for (const Column& c : result.tables.at(0).columns)
    if (c.name == name) return std::get<std::vector<double>>(c.values);
  throw std::runtime_error("no column " + name);
}

}  // namespace

TEST_CASE("mean |S_j| for d = 128 and base 10000 is 32.5, 31.538166, 17.954137, 10.227330") {
  const Result result = run({{"dim", "128"}, {"base", "10000"}});
  CHECK(scalar(result, "mean_abs_S_at_0") == 32.5);
  CHECK(scalar(result, "mean_abs_S_at_1") == Approx(31.538166142658085).epsilon(1e-14));
  CHECK(scalar(result, "mean_abs_S_at_10") == Approx(17.95413713708483).epsilon(1e-14));
  CHECK(scalar(result, "mean_abs_S_at_100") == Approx(10.227329948505133).epsilon(1e-14));
  CHECK(scalar(result, "first_rise") == 19);
  CHECK(std::isnan(scalar(result, "first_negative_B")));
}

TEST_CASE("The context a base bears is found once the distances reach it") {
  CHECK(scalar(run({{"max_distance", "2000"}}), "first_negative_B") == 1707);
}

TEST_CASE("With q = k = 1, RoPE's logit is 2 B_m/√d and ALiBi's is √d − m/2") {
  const Result result = run({{"encoding", "rope+alibi+none"}, {"dim", "64"}});
  const auto& b = column(result, "B");
  for (std::size_t r = 0; r < b.size(); ++r) {
    CHECK(column(result, "logit_rope")[r] == Approx(2 * b[r] / 8).margin(1e-13));
    CHECK(column(result, "logit_alibi")[r] == Approx(8 - 0.5 * static_cast<double>(r)));
    CHECK(column(result, "logit_none")[r] == Approx(8));
  }
}

TEST_CASE("Independent random q and k have no decay on average, equal ones do") {
  const Result random = run({{"assumption", "random"}, {"draws", "1024"}, {"dim", "64"}});
  const auto& logits = column(random, "logit_rope");
  const auto& deviation = column(random, "logit_rope_deviation");
  for (std::size_t r = 0; r < logits.size(); ++r) {
    CHECK(std::abs(logits[r]) < 6.0 / std::sqrt(1024.0));
    CHECK(deviation[r] == Approx(1).margin(0.15));
  }
  const Result equal = run({{"assumption", "equal"}, {"draws", "256"}, {"dim", "64"}});
  const auto& b = column(equal, "B");
  const auto& alike = column(equal, "logit_rope");
  CHECK(alike[0] == Approx(8).margin(0.3));
  for (std::size_t r = 0; r < b.size(); ++r) CHECK(alike[r] == Approx(2 * b[r] / 8).margin(0.6));
}

TEST_CASE("A partial RoPE bounds the channels that turn") {
  const Result half = run({{"rope.fraction", "0.5"}, {"dim", "128"}});
  const Result small = run({{"dim", "64"}});
  CHECK(column(half, "mean_abs_S") == column(small, "mean_abs_S"));
}

TEST_CASE("The bound and the identity hold for every d and base") {
  for (const char* dim : {"2", "6", "64", "512"}) {
    for (const char* base : {"1.5", "100", "1000000"}) {
      const Result result = run({{"dim", dim}, {"base", base}, {"max_distance", "4000"}});
      for (const Check& check : result.checks) {
        INFO("d " << dim << " base " << base << ": " << check.name << " " << check.measured);
        CHECK(check.holds());
      }
    }
  }
}

TEST_CASE("The phasor chain has a link a pair and is drawn at the distance asked for") {
  const Result result = run({{"dim", "8"}, {"distance", "3"}});
  const auto& plot = std::get<VectorPlot>(result.figures.at(2).content);
  REQUIRE(plot.arrows.size() == 4);
  CHECK(plot.arrows[0].x1 == Approx(std::cos(3.0)));
  CHECK(plot.arrows[0].y1 == Approx(std::sin(3.0)));
  CHECK(plot.sum->x1 == plot.arrows[3].x1);
}
