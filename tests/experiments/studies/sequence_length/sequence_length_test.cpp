#include "experiments/studies/experiments.h"

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

Result run_sequence_length(const Settings& settings) {
  return run_experiment(sequence_length_experiment(), settings);
}

double at(const Table& table, const std::string& key, double place, const std::string& name) {
  const auto& places = column(table, key);
  const auto found = std::find(places.begin(), places.end(), place);
  REQUIRE(found != places.end());
  return column(table, name)[static_cast<std::size_t>(found - places.begin())];
}

}  // namespace

TEST_CASE("Where contents say nothing, ALiBi's entropy and recent share are those of its biases") {
  const nlohmann::json alibi = golden("attention_statistics.json").at("alibi");
  const Result result =
      run_sequence_length({{"encoding", "alibi+none"}, {"spread", "0.01"}, {"head", "5"}});
  const Table& lengths = table(result, "lengths");
  for (const auto& point : alibi.at("points")) {
    const double n = point.at("length").get<double>();
    // Contents of deviation 0.01 move an entropy by its square, a share by no more than itself.
    CHECK(at(lengths, "length", n, "entropy_alibi") ==
          Approx(point.at("entropy").get<double>()).margin(2e-3));
    CHECK(at(lengths, "length", n, "recent_alibi") ==
          Approx(point.at("recent").get<double>()).margin(2e-3));
    CHECK(at(lengths, "length", n, "entropy_none") == Approx(std::log2(n)).margin(2e-4));
    CHECK(at(lengths, "length", n, "recent_none") == Approx(n < 32 ? 1.0 : 32 / n).margin(1e-3));
  }
}

TEST_CASE("RoPE's mean logit past the training length is σ√d B_r/(d/2), as 60-digit sums have it") {
  const auto b = golden("formulas.json").at("decay, d=128").at("B by distance");
  for (const std::string train : {"100", "1000"}) {
    const Result result =
        run_sequence_length({{"encoding", "rope"}, {"dim", "128"}, {"train_length", train}});
    const double change = std::sqrt(128.0) * (b.at(train).get<double>() / 64.0 - 1.0);
    CHECK(at(table(result, "logits"), "distance", std::stod(train), "rope") ==
          Approx(change).epsilon(1e-12));
  }
}

TEST_CASE("The last position of a table is below the training length: p_0 … p_{L−1}") {
  const Result result = run_sequence_length({{"encoding", "learned"}, {"train_length", "256"}});
  CHECK(check(result, "learned_ends").measured == 255);
  CHECK(check(result, "learned_ends").bound == 255);
}

TEST_CASE("Beyond the training length learned positions end, tables clip, formulas go on") {
  const Result result = run_sequence_length(
      {{"encoding", "none+rope+alibi+learned+shaw+t5+deberta"}, {"train_length", "256"}});
  const Table& encodings = table(result, "encodings");
  const auto& from = column(encodings, "constant_from");
  const auto& last = column(encodings, "last_position");
  CHECK(from[0] == 0);
  CHECK(std::isnan(from[1]));
  CHECK(std::isnan(from[2]));
  CHECK(last[3] == 255);
  CHECK(std::isinf(last[1]));
  CHECK(from[4] == 16);  // shaw.clip
  CHECK(from[5] == 91);  // the last of T5's buckets begins at 8·16^(7/8) = 90.5
  CHECK(from[6] == 64);  // deberta.span
  const auto& leaves = column(encodings, "leaves_seen_range");
  CHECK(leaves[2] == Approx((2047 - 255) / 64.0));  // ALiBi goes on falling
  CHECK(leaves[5] == 0);
  for (const double n : {257.0, 2048.0})
    CHECK(std::isnan(at(table(result, "lengths"), "length", n, "entropy_learned")));
  CHECK(at(table(result, "lengths"), "length", 256, "entropy_learned") > 0);
}

TEST_CASE("Every encoding decodes step by step what prefill gives, and shifts as it says") {
  check_all_hold(run_sequence_length(
      {{"encoding", "none+sinusoidal+rope+alibi+learned+shaw+transformer_xl+t5+tupe"},
       {"max_length", "600"}}));
  check_all_hold(
      run_sequence_length({{"encoding", "rope+deberta"}, {"window", "128"}, {"spread", "5"}}));
}

TEST_CASE("Offsets have a gap where the table has ended") {
  const Result result = run_sequence_length({{"encoding", "learned"}, {"train_length", "512"}});
  const Table& offsets = table(result, "offsets");
  CHECK(at(offsets, "offset", 256, "learned") > 1e-3);
  CHECK(std::isnan(at(offsets, "offset", 512, "learned")));
}

TEST_CASE("Lengths that leave nothing to see are refused") {
  CHECK_THROWS_AS(run_sequence_length({{"max_length", "512"}}), UsageError);
  CHECK_THROWS_AS(run_sequence_length({{"train_length", "32"}, {"window", "64"}}), UsageError);
  CHECK_THROWS_AS(run_sequence_length({{"head", "8"}}), UsageError);
}

TEST_CASE("An absolute encoding is seen to feel offsets where one key has nearly all the weight") {
  const Result result = run_sequence_length({{"encoding", "learned+sinusoidal+tupe"},
                                             {"dim", "242"},
                                             {"window", "2"},
                                             {"spread", "11.07"},
                                             {"max_length", "600"}});
  check_all_hold(result);
  for (const char* name : {"learned", "sinusoidal", "tupe"})
    CHECK_NOTHROW(check(result, std::string(name) + "_feels_offsets"));
}

TEST_CASE("Each encoding says what it does past the training length") {
  const Result result = run_experiment(
      sequence_length_experiment(),
      {{"encoding", "alibi+learned+shaw+none"}, {"train_length", "64"}, {"max_length", "256"}});
  const auto title = [&](const std::string& id) {
    const auto found = std::find_if(result.figures.begin(), result.figures.end(),
                                    [&](const Figure& figure) { return figure.id == id; });
    REQUIRE(found != result.figures.end());
    return found->title;
  };
  // Head 5 of 8: a slope of 2^-6 over the 192 tokens beyond 63.
  CHECK(title("logits_alibi") == "ALiBi: 3 beyond training");
  CHECK(title("logits_learned") == "learned ends at 63");
  CHECK(title("logits_shaw") == "Shaw: the same throughout");
  CHECK(title("logits_none") == "No encoding: the same throughout");
  CHECK_THAT(title("entropy"), Catch::Matchers::Contains("learned ends"));
  CHECK_THAT(title("offsets"), Catch::Matchers::Contains("learned moves up to"));
}
