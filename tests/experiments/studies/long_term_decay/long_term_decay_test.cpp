#include "experiments/studies/experiments.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "core/errors.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result run_long_term_decay(const Settings& settings, const Inputs& inputs = {}) {
  return run_experiment(long_term_decay_experiment(), settings, inputs);
}

Tensor row(const std::string& name, const std::vector<double>& values) {
  return {name, {1, values.size()}, values};
}

Inputs input_files(const std::vector<double>& q, const std::vector<double>& k) {
  return {{"q", row("q.npy", q)}, {"k", row("k.npy", k)}};
}

}  // namespace

TEST_CASE("mean |S_j| for d = 128 and base 10000 is 32.5, 31.538166, 17.954137, 10.227330") {
  const Result result = run_long_term_decay({{"dim", "128"}, {"base", "10000"}});
  CHECK(scalar(result, "rope_mean_abs_S_at_0") == 32.5);
  CHECK(scalar(result, "rope_mean_abs_S_at_1") == Approx(31.538166142658085).epsilon(1e-14));
  CHECK(scalar(result, "rope_mean_abs_S_at_10") == Approx(17.95413713708483).epsilon(1e-14));
  CHECK(scalar(result, "rope_mean_abs_S_at_100") == Approx(10.227329948505133).epsilon(1e-14));
  CHECK(scalar(result, "rope_first_rise") == 19);
  CHECK(std::isnan(scalar(result, "rope_first_negative_B")));
}

TEST_CASE("The first negative B_m is found once the distances reach it, else what was searched") {
  const Result near = run_long_term_decay({{"max_distance", "256"}}),
               far = run_long_term_decay({{"max_distance", "2000"}});
  CHECK(std::isnan(scalar(near, "rope_first_negative_B")));
  CHECK_THAT(description(near, "rope_first_negative_B"),
             Contains("not negative at any distance to 256"));
  CHECK(scalar(far, "rope_first_negative_B") == 1707);
  CHECK_THAT(description(far, "rope_first_negative_B"), Contains("arXiv 2405.14591"));
}

TEST_CASE("Changes of tables drawn by seed are said to be untrained, those of formulas are not") {
  const Result result =
      run_long_term_decay({{"encoding", "rope+alibi+t5+shaw"}, {"max_distance", "64"}});
  for (const char* name : {"t5", "shaw"})
    CHECK_THAT(description(result, std::string(name) + "_change"), Contains("untrained tables"));
  for (const char* name : {"rope", "alibi"})
    CHECK_THAT(description(result, std::string(name) + "_change"), !Contains("untrained"));
}

TEST_CASE("With q = k = 1, RoPE's logit is 2 B_m/√d and ALiBi's is √d − m/2") {
  const Result result = run_long_term_decay({{"encoding", "rope+alibi+none"}, {"dim", "64"}});
  const auto& b = column(result, "B");
  for (std::size_t r = 0; r < b.size(); ++r) {
    CHECK(column(result, "logit_rope")[r] == Approx(2 * b[r] / 8).margin(1e-13));
    CHECK(column(result, "logit_alibi")[r] == Approx(8 - 0.5 * static_cast<double>(r)));
    CHECK(column(result, "logit_none")[r] == Approx(8));
  }
}

TEST_CASE("Independent random q and k have no decay on average, equal ones do") {
  const Result random =
      run_long_term_decay({{"assumption", "random"}, {"draws", "1024"}, {"dim", "64"}});
  const auto& logits = column(random, "logit_rope");
  const auto& deviation = column(random, "logit_rope_deviation");
  for (std::size_t r = 0; r < logits.size(); ++r) {
    CHECK(std::abs(logits[r]) < 6.0 / std::sqrt(1024.0));
    CHECK(deviation[r] == Approx(1).margin(0.15));
  }
  const Result equal =
      run_long_term_decay({{"assumption", "equal"}, {"draws", "256"}, {"dim", "64"}});
  const auto& b = column(equal, "B");
  const auto& alike = column(equal, "logit_rope");
  CHECK(alike[0] == Approx(8).margin(0.3));
  for (std::size_t r = 0; r < b.size(); ++r) CHECK(alike[r] == Approx(2 * b[r] / 8).margin(0.6));
}

TEST_CASE("A partial RoPE bounds the channels that turn") {
  const Result half = run_long_term_decay({{"rope.fraction", "0.5"}, {"dim", "128"}});
  const Result small = run_long_term_decay({{"dim", "64"}});
  CHECK(column(half, "mean_abs_S") == column(small, "mean_abs_S"));
}

TEST_CASE(
    "With the four slow bands muted, |S_j| runs over the fast half, and (37) bounds its score") {
  const Result result =
      run_long_term_decay({{"dim", "16"}, {"rope.muted", "band4+band5+band6+band7"}});
  const auto& bound = column(result, "mean_abs_S");
  const auto& logits = column(result, "logit_rope");
  for (std::size_t r = 0; r < bound.size(); ++r) {
    std::complex<double> sum = 0;
    double sizes = 0;
    for (int t = 0; t < 4; ++t) {
      sum += std::polar(1.0, static_cast<double>(r) * std::pow(10000.0, -t / 8.0));
      sizes += std::abs(sum);
    }
    CHECK(bound[r] == Approx(sizes / 4).margin(1e-13));
    CHECK(logits[r] == Approx(2 * sum.real() / 4).margin(1e-13));
  }
  for (const Check& check : result.checks) CHECK(check.holds());
}

TEST_CASE("Muting is named where it is used, and nowhere else") {
  const auto caption = [](const Result& result) { return result.figures.at(0).caption; };
  const auto names = [](const Result& result) {
    return std::any_of(result.provenance.params.begin(), result.provenance.params.end(),
                       [](const auto& param) { return param.first == "rope.muted"; });
  };
  const Result plain = run_long_term_decay({}),
               muted = run_long_term_decay({{"rope.muted", "band0+band2"}});
  CHECK(caption(plain).find("muted") == std::string::npos);
  CHECK_FALSE(names(plain));
  CHECK(caption(muted).find("rope.muted = band0+band2") != std::string::npos);
  CHECK(names(muted));
}

TEST_CASE("Every mute leaves checks that hold") {
  for (const char* muted : {"band0", "band7", "band0+band1+band2+band3+band4+band5+band6"})
    for (const char* assumption : {"ones", "equal", "random", "mean"}) {
      const Result result =
          run_long_term_decay({{"rope.muted", muted}, {"assumption", assumption}, {"dim", "64"}});
      for (const Check& check : result.checks) {
        INFO(muted << " " << assumption << ": " << check.name << " " << check.measured);
        CHECK(check.holds());
      }
    }
}

TEST_CASE("The bound and the identity hold for every d and base") {
  for (const char* dim : {"2", "6", "64", "512"}) {
    for (const char* base : {"1.5", "100", "1000000"}) {
      const Result result =
          run_long_term_decay({{"dim", dim}, {"base", base}, {"max_distance", "4000"}});
      for (const Check& check : result.checks) {
        INFO("d " << dim << " base " << base << ": " << check.name << " " << check.measured);
        CHECK(check.holds());
      }
    }
  }
}

TEST_CASE("The phasor chain has a link a pair and is drawn at the distance asked for") {
  const Result result = run_long_term_decay({{"dim", "8"}, {"distance", "3"}});
  const auto& plot = std::get<VectorPlot>(result.figures.at(2).content);
  REQUIRE(plot.arrows.size() == 4);
  CHECK(plot.arrows[0].x1 == Approx(std::cos(3.0)));
  CHECK(plot.arrows[0].y1 == Approx(std::sin(3.0)));
  CHECK(plot.sum->x1 == plot.arrows[3].x1);
}

TEST_CASE("The bound of q = k = 1 is d·mean |S_j|, its scores are 2 |B_m|: a share of 1/19") {
  const Result result = run_long_term_decay({});
  const auto& bound = column(result, "bound", 1);
  const auto& score = column(result, "score", 1);
  for (const std::size_t r : {0u, 1u, 10u, 100u, 256u}) {
    CHECK(bound[r] == Approx(128 * column(result, "mean_abs_S")[r]).epsilon(1e-14));
    CHECK(score[r] == Approx(2 * std::abs(column(result, "B")[r])).epsilon(1e-13));
  }
  CHECK(scalar(result, "rope_share_of_bound") < 0.06);
  CHECK(scalar(result, "rope_rises") > 100);
}

TEST_CASE("With k = R_37 q the score at r is B_{37 − r}: its peak is at 37") {
  const Result result = run_long_term_decay({{"max_distance", "148"}});
  const auto& score = content_of<LinePlot>(result, "any_peak").series.at(1).y;
  const auto& b = column(result, "B");
  for (std::size_t r = 0; r <= 148; ++r)
    CHECK(64 * score[r] == Approx(b[r < 37 ? 37 - r : r - 37]).margin(1e-12));
}

TEST_CASE("The mean over all directions is that of ones for RoPE, and takes each bias as it is") {
  const Result mean = run_long_term_decay({{"assumption", "mean"},
                                           {"encoding", "rope+alibi+sinusoidal+shaw+learned"},
                                           {"dim", "32"},
                                           {"learned.length", "100"}});
  const auto& b = column(mean, "B");
  for (const std::size_t r : {0u, 5u, 99u, 200u}) {
    CHECK(column(mean, "logit_rope")[r] == Approx(2 * b[r] / std::sqrt(32.0)).margin(1e-12));
    CHECK(column(mean, "logit_alibi")[r] ==
          Approx(std::sqrt(32.0) - 0.5 * static_cast<double>(r)).margin(1e-12));
    CHECK(column(mean, "logit_sinusoidal")[r] ==
          Approx(std::sqrt(32.0) + b[r] / std::sqrt(32.0)).margin(1e-12));
    CHECK(column(mean, "logit_shaw")[r] == Approx(std::sqrt(32.0)).margin(1e-12));
  }
  CHECK(std::isnan(column(mean, "logit_learned")[100]));
  CHECK_FALSE(std::isnan(column(mean, "logit_learned")[99]));
}

TEST_CASE("Rows of files are taken as they are: q = (1, 0), k = (0, 1) score sin r") {
  const Result result =
      run_long_term_decay({{"assumption", "file"}, {"draws", "3"}}, input_files({1, 0}, {0, 1}));
  for (const std::size_t r : {0u, 1u, 7u, 256u}) {
    const double sine = std::sin(static_cast<double>(r));
    CHECK(column(result, "logit_rope")[r] == Approx(sine / std::sqrt(2.0)).margin(1e-15));
    CHECK(column(result, "score", 1)[r] == Approx(std::abs(sine)).margin(1e-15));
  }
  CHECK(column(result, "logit_rope_deviation")[5] == Approx(0).margin(1e-15));
}

TEST_CASE("The scores under the bound are the logits, whichever channels turn together") {
  for (const char* pairing : {"interleaved", "half_split"}) {
    const Result result =
        run_long_term_decay({{"assumption", "file"}, {"draws", "1"}, {"rope.pairing", pairing}},
                            input_files({1, 2, -3, 0.5}, {0.25, -1, 2, 4}));
    for (std::size_t r = 0; r <= 256; ++r)
      CHECK(column(result, "score", 1)[r] ==
            Approx(2 * std::abs(column(result, "logit_rope")[r])).margin(1e-13));
    for (const Check& check : result.checks) CHECK(check.holds());
  }
}

TEST_CASE(
    "Scores of a trained head are those of its own q and k, and fall off where they are learned") {
  const Result result = run_long_term_decay(
      {{"assumption", "trained"}, {"head", "3"}, {"max_distance", "32"}, {"draws", "256"}});
  // Head 3 looks at the token before: by content of any two tokens, near distances win.
  const auto& scores = content_of<LinePlot>(result, "decay_scores").series.at(0);
  CHECK(scores.y.at(1) > scores.y.at(4));
  CHECK(scores.y.at(1) > scores.y.at(30));
  CHECK_THROWS_AS(run_long_term_decay({{"assumption", "trained"}, {"head", "4"}}), UsageError);
  CHECK_THROWS_AS(run_long_term_decay({{"assumption", "trained"}, {"encoding", "sinusoidal"}}),
                  UsageError);
}

TEST_CASE("Files that cannot be meant are refused") {
  CHECK_THROWS_AS(run_long_term_decay({{"assumption", "file"}}), UsageError);
  CHECK_THROWS_AS(run_long_term_decay({{"assumption", "file"}}, input_files({1, 2, 3}, {1, 2, 3})),
                  DataError);
  CHECK_THROWS_AS(run_long_term_decay({{"assumption", "file"}}, input_files({1, 2}, {1, 2, 3, 4})),
                  DataError);
  CHECK_THROWS_AS(run_long_term_decay({{"assumption", "file"}, {"encoding", "sinusoidal"}},
                                      input_files({1, 2}, {1, 2})),
                  UsageError);
}

TEST_CASE("What decays is said for each encoding") {
  const Result result = run_long_term_decay({{"encoding", "none+sinusoidal+rope+alibi"}});
  const Table& table = result.tables.at(2);
  const auto& falls = std::get<std::vector<std::string>>(table.columns.at(1).values);
  CHECK(falls[0] == "nothing: logits do not depend on distance");
  CHECK(falls[3] == "terms that depend on position, added to the content's logit");
  CHECK(column(result, "change", 2)[3] == Approx(-128));
  CHECK(content_of<LinePlot>(result, "decay_changes").series.at(3).y.back() == Approx(-128));
}

TEST_CASE("The first figure is the logits, and its title where they fall to half") {
  const auto title = [](const Settings& settings) {
    const Result result = run_long_term_decay(settings);
    CHECK(result.figures.at(0).id == "decay_scores");
    return result.figures.at(0).title;
  };
  CHECK(title({}) ==
        "RoPE's logit first falls to half at 46 tokens; ten times the base moves that to 102");
  CHECK(scalar(run_long_term_decay({}), "rope_half_distance") == 46);
  CHECK(title({{"max_distance", "32"}}) ==
        "RoPE's logit stays above half to 32 tokens; with a tenth of the base it is halved at 16");
  CHECK(title({{"encoding", "rope+alibi+none"}}) ==
        "The logit first falls to half at 12 tokens with ALiBi, 46 with RoPE; not to 256 tokens "
        "with no encoding");
  CHECK(title({{"encoding", "none"}}) ==
        "With no encoding the logit is the same at every distance");
  CHECK_THAT(title({{"assumption", "random"}}), Contains("0 but for chance"));
}

TEST_CASE("Behind the logits are those that a run with another base has, and the bound's shape") {
  for (const char* assumption : {"ones", "equal", "mean"}) {
    const Settings settings{{"assumption", assumption}, {"dim", "32"}, {"rope.fraction", "0.5"}};
    Settings tenfold = settings;
    tenfold.emplace_back("base", "100000");
    const Result own = run_long_term_decay(settings), other = run_long_term_decay(tenfold);
    const auto& curves = content_of<LinePlot>(own, "decay_scores").series;
    const auto& bound = column(own, "mean_abs_S");
    const auto ghost = std::find_if(curves.begin(), curves.end(), [](const Series& one) {
      return one.ghost == "base 100\u2009000";
    });
    REQUIRE(ghost != curves.end());
    for (std::size_t r = 0; r < bound.size(); ++r) {
      CHECK(ghost->y[r] == Approx(column(other, "logit_rope")[r]).margin(1e-12));
      CHECK(curves[1].y[r] == Approx(curves[0].y[0] * bound[r] / bound[0]));
    }
  }
}
