#include "experiments/studies/experiments.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/errors.h"
#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result run_rotation(const Settings& settings, const Inputs& inputs = {}) {
  return run_experiment(rotation_experiment(), settings, inputs);
}

void check_all_three_hold(const Result& result) {
  CHECK(result.checks.size() == 3);
  test::check_all_hold(result);
}

}  // namespace

TEST_CASE("Own q and k give mpmath's score and turned pairs, for both pairings and partial RoPE") {
  const auto file = golden("rotation.json");
  const auto q = file.at("q").get<std::vector<double>>();
  const auto k = file.at("k").get<std::vector<double>>();
  const Inputs inputs{{"q", tensor({1, 8}, q)}, {"k", tensor({1, 8}, k)}};
  for (const auto& c : file.at("cases")) {
    INFO(c.dump());
    const auto m = c.at("m").get<int>(), n = c.at("n").get<int>();
    const Result result =
        run_rotation({{"content", "file"},
                      {"distance", std::to_string(m - n)},
                      {"key_position", std::to_string(n)},
                      {"positions", std::to_string(std::min<int>(m, 255) + 1)},
                      {"pair_step", "1"},
                      {"base", std::to_string(c.at("base").get<int>())},
                      {"rope.pairing", c.at("pairing").get<std::string>()},
                      {"rope.fraction", std::to_string(c.at("rotary").get<double>() / 8)}},
                     inputs);
    check_all_three_hold(result);
    CHECK(scalar(result, "score") == Approx(c.at("score").get<double>()).margin(1e-14));
    const auto& sum = content_of<VectorPlot>(result, "phasor_chain").sum;
    CHECK(sum->x1 == Approx(c.at("score").get<double>()).margin(1e-14));
    const bool interleaved = c.at("pairing") == "interleaved";
    const std::size_t pairs = c.at("rotary").get<std::size_t>() / 2;
    for (std::size_t t = 0; t < pairs; ++t) {
      const Arrow& last = content_of<VectorPlot>(result, "pair_" + std::to_string(t)).arrows.back();
      const std::size_t a = interleaved ? 2 * t : t, b = interleaved ? 2 * t + 1 : t + pairs;
      CHECK(last.x1 == Approx(c.at("q_turned").at(a).get<double>()).margin(1e-14));
      CHECK(last.y1 == Approx(c.at("q_turned").at(b).get<double>()).margin(1e-14));
    }
  }
}

TEST_CASE("Links lie head to tail, and what never turns is the last, along the real axis") {
  const Result result = run_rotation({{"rope.fraction", "0.5"}, {"dim", "8"}, {"content", "ones"}});
  const auto& chain = content_of<VectorPlot>(result, "phasor_chain");
  REQUIRE(chain.arrows.size() == 3);
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(chain.arrows[i].x0 == chain.arrows[i - 1].x1);
    CHECK(chain.arrows[i].y0 == chain.arrows[i - 1].y1);
  }
  CHECK(chain.arrows[2].x1 - chain.arrows[2].x0 == Approx(4));
  CHECK(chain.arrows[2].y1 == chain.arrows[2].y0);
  const auto& shares = std::get<LinePlot>(result.figures.at(1).content);
  CHECK(shares.series.at(0).y.back() == scalar(result, "score"));
  CHECK(shares.series.at(1).y.back() == 4);
}

TEST_CASE("Channels that were reordered for half-split pairs give the interleaved score") {
  const auto run_with = [](Settings settings) {
    settings.insert(settings.end(), {{"dim", "16"}, {"distance", "5"}, {"content", "random"}});
    return run_rotation(settings);
  };
  const Result paper = run_with({});
  const Result converted = run_with({{"channels", "even_first"}, {"rope.pairing", "half_split"}});
  const Result garbled = run_with({{"channels", "even_first"}});
  CHECK(scalar(converted, "score") == scalar(paper, "score"));
  CHECK(std::abs(scalar(garbled, "score") - scalar(paper, "score")) > 0.1);
  // A common order of the channels changes no inner product.
  CHECK(scalar(garbled, "score_at_rest") == Approx(scalar(paper, "score_at_rest")));
}

TEST_CASE("With ones, pair t at position m points to √2 e^{i(m θ_t + π/4)}") {
  const Result result = run_rotation({{"content", "ones"}, {"dim", "8"}, {"pair_step", "1"}});
  for (int t = 0; t < 4; ++t) {
    const auto& pair = content_of<VectorPlot>(result, "pair_" + std::to_string(t));
    REQUIRE(pair.arrows.size() == 13);
    const double angle = 12 * std::pow(10.0, -t) + std::atan(1.0);
    CHECK(pair.arrows[12].x1 == Approx(std::sqrt(2) * std::cos(angle)));
    CHECK(pair.arrows[12].y1 == Approx(std::sqrt(2) * std::sin(angle)));
    CHECK(pair.arrows[12].value == 12);
  }
}

TEST_CASE("The score is the same wherever the key stands, and a token meets itself at distance 0") {
  const double here = scalar(run_rotation({{"distance", "9"}}), "score");
  const Result there = run_rotation({{"distance", "9"}, {"key_position", "1000000"}});
  CHECK(scalar(there, "score") == here);
  check_all_three_hold(there);  // of which one turns q and k by their own positions
  const Result met = run_rotation({{"distance", "0"}});
  CHECK(scalar(met, "score") == scalar(met, "score_at_rest"));
  CHECK(content_of<VectorPlot>(met, "phasor_chain").sum->y1 == 0);
}

TEST_CASE("Rotation's checks hold for every content, size, distance and kind of RoPE") {
  for (const char* content : {"ones", "equal", "random"})
    for (const char* dim : {"2", "64", "1024"})
      for (const char* distance : {"-1000000000", "0", "3", "1000000000"})
        check_all_three_hold(
            run_rotation({{"content", content}, {"dim", dim}, {"distance", distance}}));
  check_all_three_hold(run_rotation({{"rope.partial", "proportional"}, {"rope.fraction", "0.25"}}));
  check_all_three_hold(run_rotation({{"content", "file"}}, {{"q", tensor({1, 2}, {0, 0})}}));
}

TEST_CASE("Rotation refuses what it cannot draw, with value, rule and remedy") {
  CHECK_THROWS_WITH(run_rotation({{"first_pair", "32"}}),
                    Contains("there are 32 pairs, counted from 0"));
  CHECK_THROWS_WITH(run_rotation({{"content", "file"}}), Contains("none is named"));
  const Tensor two = tensor({2, 2}, {1, 2, 3, 4});
  CHECK_THROWS_WITH(run_rotation({{"content", "file"}, {"row", "2"}}, {{"q", two}}),
                    Contains("has no row 2: choose row=0 to row=1") ||
                        Contains("has no row 2; choose row=0 to row=1"));
  CHECK_THROWS_WITH(
      run_rotation({{"content", "file"}}, {{"q", two}, {"k", tensor({1, 4}, {1, 2, 3, 4})}}),
      Contains("q and k must have the same d"));
  CHECK_THROWS_WITH(run_rotation({{"content", "file"}}, {{"q", tensor({1, 3}, {1, 2, 3})}}),
                    Contains("must be even"));
}

TEST_CASE(
    "Two arrows in the plane turn by one radian per position, and score by their difference") {
  const auto at = [](int key, int distance) {
    return run_rotation({{"content", "plane"},
                         {"q1", "1"},
                         {"q2", "0"},
                         {"k1", "0.8"},
                         {"k2", "0.6"},
                         {"key_position", std::to_string(key)},
                         {"distance", std::to_string(distance)}});
  };
  const double between = std::atan2(0.6, 0.8), degree = std::acos(-1.0) / 180;
  for (const int key : {0, 1, 5, 1000}) {
    for (const int distance : {0, 2, 7, -3}) {
      const Result result = at(key, distance);
      INFO(key << " " << distance);
      check_all_three_hold(result);
      CHECK(scalar(result, "score") == Approx(std::cos(distance - between)));
      CHECK(std::cos(scalar(result, "angle_of_q") * degree) == Approx(std::cos(key + distance)));
      CHECK(std::sin(scalar(result, "angle_of_k") * degree) == Approx(std::sin(key + between)));
      CHECK(std::cos(scalar(result, "angle_between") * degree) ==
            Approx(std::cos(distance - between)));
    }
  }
  const Result turned = at(0, 2);
  const auto& plot = content_of<VectorPlot>(turned, "query_and_key");
  REQUIRE(plot.sum);
  CHECK(plot.sum->x1 == Approx(std::cos(2)));
  CHECK(plot.arrows.at(2).y1 == Approx(0.6));
}
