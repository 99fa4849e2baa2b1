#include "experiments/studies/experiments.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

#include "core/errors.h"
#include "experiments/setup/encoding_summary.h"
#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result run_encoding_matrix(const Settings& settings) {
  return run_experiment(encoding_matrix_experiment(), settings);
}

bool has_array(const Result& result, const std::string& name) {
  for (const auto& a : result.arrays)
    if (a->name == name) return true;
  return false;
}

const std::vector<double>& rows_of(const Result& result, const std::string& encoding) {
  for (const Table& table : result.tables)
    for (const Column& c : table.columns)
      if (c.name == "row_" + encoding) return std::get<std::vector<double>>(c.values);
  throw std::runtime_error("no rows of " + encoding);
}

}  // namespace

TEST_CASE("Rows of Shaw's, T5's and DeBERTa's tables by distance equal the published code's") {
  const auto file = golden("experiments.json");
  const Result v1 = run_encoding_matrix({{"encoding", "shaw+t5+deberta"}, {"positions", "150"}});
  for (const char* name : {"shaw", "t5", "deberta"}) {
    INFO(name);
    CHECK(rows_of(v1, name) == file.at("rows").at(name).get<std::vector<double>>());
  }
  const Result v2 = run_encoding_matrix(
      {{"encoding", "deberta"}, {"deberta.version", "v2"}, {"positions", "150"}});
  CHECK(rows_of(v2, "deberta") == file.at("rows").at("deberta v2").get<std::vector<double>>());
}

TEST_CASE("The staircases end where the published tables do") {
  const Result result = run_encoding_matrix({{"encoding", "shaw+t5+tupe+deberta"}});
  for (const auto& [name, behind, ahead] : std::vector<std::tuple<std::string, double, double>>{
           {"shaw", 16, 16}, {"t5", 91, 91}, {"tupe", 91, 91}, {"deberta", 63, 64}}) {
    INFO(name);
    CHECK(scalar(result, name + "_reach_behind") == behind);
    CHECK(scalar(result, name + "_reach_ahead") == ahead);
  }
  CHECK(scalar(result, "t5_rows_met") == 31);  // bucket 16 is never used
  CHECK(scalar(run_encoding_matrix({{"encoding", "t5"}, {"t5.bidirectional", "false"}}),
               "t5_reach_ahead") == 0);
}

TEST_CASE("The row map is the staircase along diagonals") {
  const Result result =
      run_encoding_matrix({{"encoding", "t5"}, {"positions", "20"}, {"show", "index_maps"}});
  const Array& map = array(result, "rows_t5");
  const auto& rows = rows_of(result, "t5");
  for (std::size_t m = 0; m < 20; ++m)
    for (std::size_t n = 0; n < 20; ++n) CHECK(at(map, m, n) == rows[19 + m - n]);
}

TEST_CASE("Angles of RoPE equal mpmath's modulo 2π, for both pairings") {
  const auto expected = golden("experiments.json").at("angles d=8");
  for (const char* pairing : {"interleaved", "half_split"}) {
    const Result result = run_encoding_matrix({{"encoding", "rope"},
                                               {"dim", "8"},
                                               {"positions", "6"},
                                               {"first_position", "1000"},
                                               {"rope.pairing", pairing}});
    check_all_hold(result);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t t = 0; t < 4; ++t) {
        const double angle = expected.at(i).at(t).get<double>();
        CHECK(at(array(result, "angle_rope"), i, t) == Approx(angle).epsilon(1e-6));
        CHECK(at(array(result, "cosine_rope"), i, t) == Approx(std::cos(angle)).margin(1e-6));
        CHECK(at(array(result, "sine_rope"), i, t) == Approx(std::sin(angle)).margin(1e-6));
      }
    }
  }
}

TEST_CASE("By hand: sinusoids are sin and cos of m θ_t, in each layout's channels") {
  for (const char* layout : {"interleaved", "concatenated"}) {
    const Result result = run_encoding_matrix(
        {{"encoding", "sinusoidal"}, {"dim", "4"}, {"sinusoidal.layout", layout}});
    const Array& p = array(result, "added_sinusoidal");
    const bool mixed = std::string(layout) == "interleaved";
    CHECK(at(p, 3, 0) == Approx(std::sin(3.0)));
    CHECK(at(p, 3, mixed ? 1 : 2) == Approx(std::cos(3.0)));
    CHECK(at(p, 3, mixed ? 2 : 1) == Approx(std::sin(0.03)));
    CHECK(at(p, 3, 3) == Approx(std::cos(0.03)));
    check_all_hold(result);
  }
}

TEST_CASE("By hand: ALiBi's bias is −s|m − n|, head 1 of 8 has s = 1/4") {
  const Result result =
      run_encoding_matrix({{"encoding", "alibi"}, {"head", "1"}, {"positions", "9"}});
  const Array& bias = array(result, "bias_alibi");
  CHECK(at(bias, 8, 0) == -2);
  CHECK(at(bias, 0, 8) == -2);
  CHECK(at(bias, 5, 4) == -0.25);
  const auto& profile = std::get<LinePlot>(result.figures.at(1).content);
  REQUIRE(profile.series.size() == 8);
  CHECK(profile.series[1].y[8] == 0);
  CHECK(profile.series[1].y[16] == -2);
  CHECK(profile.series[1].x[16] == 8);
}

TEST_CASE(
    "Vectors of the distance are seen where a query meets them, biases where none is needed") {
  const Result result = run_encoding_matrix({{"encoding", "shaw+t5+transformer_xl+deberta"}});
  for (const char* name : {"relative_keys_shaw", "relative_keys_transformer_xl",
                           "relative_keys_deberta", "bias_t5", "bias_transformer_xl"})
    CHECK(has_array(result, name));
  for (const char* name : {"bias_shaw", "bias_deberta", "relative_keys_t5"})
    CHECK_FALSE(has_array(result, name));
  const Array& keys =
      array(result, "relative_keys_shaw");  // clipped: distances beyond 16 share one
  for (std::size_t c = 0; c < 64; ++c) {
    CHECK(at(keys, 0, c) == at(keys, 127 - 16, c));
    CHECK(at(keys, 127 - 16, c) != at(keys, 127 - 15, c));
  }
}

TEST_CASE("Every encoding has its matrices, at any first position it knows, and its checks hold") {
  for (const EncodingSummary& encoding : encoding_list()) {
    if (encoding.name == "none") continue;
    INFO(encoding.name);
    for (const char* first : {"0", "100"}) {
      const Result result =
          run_encoding_matrix({{"encoding", encoding.name},
                               {"dim", "16"},
                               {"positions", "40"},
                               {"first_position", first},
                               {"show", "maps+cos_sin+profiles+staircases+index_maps"}});
      CHECK_FALSE(result.figures.empty());
      check_all_hold(result);
    }
  }
}

TEST_CASE("Matrices beyond a trained table or of a head that is not there are refused") {
  CHECK_THROWS_WITH(run_encoding_matrix({{"encoding", "learned"}, {"learned.length", "64"}}),
                    Contains("learned has positions 0 to 63"));
  CHECK_THROWS_WITH(run_encoding_matrix({{"head", "8"}}), Contains("must be below heads=8"));
}
