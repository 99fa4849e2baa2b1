#include "experiments/studies/experiments.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

#include "core/errors.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/model/result.h"
#include "experiments/setup/encoding_summary.h"
#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result run_score_decomposition(const Inputs& inputs, const Settings& settings) {
  return run_experiment(score_decomposition_experiment(), with_random_contents(settings), inputs);
}

const Inputs sentence = text_input("the cat and the dog met the cat and ran");

}  // namespace

TEST_CASE("Position–position of sinusoids is Σ cos((m − n) θ_t)/√d, as mpmath has it") {
  const Result result =
      run_score_decomposition(sentence, {{"encoding", "sinusoidal"}, {"dim", "8"}});
  check_all_hold(result);
  const auto expected = golden("experiments.json").at("position_to_position d=8");
  const Array& term = array(result, "term_sinusoidal_position_to_position");
  for (std::size_t m = 0; m < 10; ++m)
    for (std::size_t n = 0; n < 10; ++n)
      CHECK(at(term, m, n) ==
            Approx(expected.at(m > n ? m - n : n - m).get<double>()).margin(1e-14));
}

TEST_CASE("With identity projections the two mixed terms are each other's transpose") {
  const Result result = run_score_decomposition(sentence, {{"encoding", "sinusoidal"}});
  const Array& c2p = array(result, "term_sinusoidal_content_to_position");
  const Array& p2c = array(result, "term_sinusoidal_position_to_content");
  for (std::size_t m = 0; m < 10; ++m)
    for (std::size_t n = 0; n < 10; ++n) CHECK(at(c2p, m, n) == Approx(at(p2c, n, m)));
}

TEST_CASE("Every encoding's terms add up and are what they say, in fp64, fp32 and bf16") {
  for (const EncodingSummary& encoding : encoding_list())
    for (const char* precision : {"exact", "exact_fp32", "eager_bf16"})
      for (const char* projection : {"identity", "random"}) {
        INFO(encoding.name << " " << precision << " " << projection);
        const Result result = run_score_decomposition(sentence, {{"encoding", encoding.name},
                                                                 {"precision", precision},
                                                                 {"projection", projection},
                                                                 {"head", "3"}});
        CHECK(result.checks.size() >= 2);
        check_all_hold(result);
      }
}

TEST_CASE("In fp64 the terms add up to 1e-14") {
  const Result result =
      run_score_decomposition(sentence, {{"encoding", "sinusoidal+rope+transformer_xl+tupe"}});
  for (const Check& check : result.checks) CHECK(check.measured < 2e-14);
}

TEST_CASE("Whose content a term takes part in is found without its name") {
  const Result result = run_score_decomposition(
      sentence, {{"encoding", "learned+transformer_xl+tupe+deberta+alibi+shaw"}});
  const auto encodings = column<std::string>(table(result, "terms"), "encoding");
  const auto terms = column<std::string>(table(result, "terms"), "term");
  const auto parts = column<std::string>(table(result, "terms"), "part");
  const auto part = [&](const std::string& encoding, const std::string& term) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (encodings[i] == encoding && terms[i] == term) return parts[i];
    throw std::runtime_error("no term " + term);
  };
  for (const char* encoding : {"learned", "transformer_xl", "tupe", "deberta", "alibi", "shaw"})
    CHECK(part(encoding, "content") == "content–content");
  for (const char* encoding : {"learned", "transformer_xl", "deberta", "shaw"})
    CHECK(part(encoding, "content_to_position") == "content–position");
  CHECK(part("learned", "position_to_content") == "position–content");
  CHECK(part("deberta", "position_to_content") == "position–content");
  CHECK(part("transformer_xl", "global_content") == "position–content");
  CHECK(part("transformer_xl", "global_position") == "position–position");
  CHECK(part("learned", "position_to_position") == "position–position");
  CHECK(part("tupe", "position") == "position–position");
  CHECK(part("tupe", "relative_bias") == "position–position");
  CHECK(part("alibi", "linear_bias") == "position–position");
}

TEST_CASE("Shares and profiles of given q and k with ALiBi equal NumPy's, causal and not") {
  const auto file = golden("experiments.json").at("alibi");
  const auto n = file.at("n").get<std::size_t>(), d = file.at("d").get<std::size_t>();
  const Inputs inputs{{"q", tensor({n, d}, file.at("q").get<std::vector<double>>())},
                      {"k", tensor({n, d}, file.at("k").get<std::vector<double>>())}};
  for (const bool causal : {false, true}) {
    const auto& expected = file.at(causal ? "causal" : "full");
    const Result result = run_score_decomposition(
        inputs, {{"encoding", "alibi"}, {"head", "2"}, {"causal", causal ? "true" : "false"}});
    check_all_hold(result);
    const char* names[] = {"content", "linear_bias"};
    for (std::size_t t = 0; t < 2; ++t) {
      const std::string name = std::string("alibi_") + names[t];
      CHECK(scalar(result, name + "_share") == Approx(expected.at("share").at(t).get<double>()));
      CHECK(scalar(result, name + "_share_in_rows") ==
            Approx(expected.at("share_in_rows").at(t).get<double>()));
      CHECK(column(table(result, "terms"), "variance")[t] ==
            Approx(expected.at("variance").at(t).get<double>()));
    }
    const auto& means = expected.at("content_by_distance");
    const auto mean = column(table(result, "profiles"), "mean");
    const auto distance = column(table(result, "profiles"), "distance");
    for (std::size_t i = 0; i < means.size(); ++i) {
      CHECK(distance[i] == static_cast<double>(i) - (causal ? 0.0 : 5.0));
      CHECK(mean[i] == Approx(means.at(i).get<double>()).margin(1e-15));
    }
  }
}

TEST_CASE(
    "RoPE's bands are as many as asked for, and a partial RoPE has one more that never turns") {
  const Result whole =
      run_score_decomposition(sentence, {{"encoding", "rope"}, {"bands", "2"}, {"dim", "16"}});
  CHECK_NOTHROW(array(whole, "term_rope_pairs_0_to_3"));
  CHECK_NOTHROW(array(whole, "term_rope_pairs_4_to_7"));
  const Result half = run_score_decomposition(
      sentence, {{"encoding", "rope"}, {"bands", "2"}, {"dim", "16"}, {"rope.fraction", "0.5"}});
  CHECK_NOTHROW(array(half, "term_rope_pairs_0_to_1"));
  const Array& still = array(half, "term_rope_unturned");
  CHECK(at(still, 0, 3) == at(still, 0, 6));  // "the" where it stands first, and again
  check_all_hold(half);
}

TEST_CASE("All maps of an encoding share one range of colours, that of the largest visible value") {
  const Result result = run_score_decomposition(
      sentence, {{"encoding", "sinusoidal"}, {"causal", "true"}, {"show", "terms+sum"}});
  const Range range = *std::get<Heatmap>(result.figures.at(0).content).range;
  CHECK(range.min == -range.max);
  bool reached = false;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto& map = std::get<Heatmap>(result.figures.at(i).content);
    CHECK(*map.range == range);
    for (std::size_t m = 0; m < 10; ++m)
      for (std::size_t n = 0; n <= m; ++n) {
        const double size = std::abs(at(*map.values, m, n));
        CHECK(size <= range.max);
        reached = reached || size == range.max;
      }
  }
  CHECK(reached);
  const Result own = run_score_decomposition(
      sentence, {{"encoding", "sinusoidal"}, {"colors", "own"}, {"show", "terms"}});
  CHECK_FALSE(std::get<Heatmap>(own.figures.at(0).content).range);
}

TEST_CASE("The equation of maps holds for every encoding: the terms add up to the logits") {
  for (const EncodingSummary& encoding : encoding_list()) {
    INFO(encoding.name);
    const Result result =
        run_score_decomposition(sentence, {{"encoding", encoding.name}, {"projection", "random"}});
    const auto& equation = content_of<MapEquation>(result, "equation_" + encoding.name);
    CHECK(inconsistency_of(result.figures.at(0)).empty());
    CHECK(result.figures.at(0).id == "equation_" + encoding.name);
    const MapTerm& logits = equation.terms.at(0);
    CHECK(logits.relation.empty());
    for (std::size_t t = 1; t < equation.terms.size(); ++t) {
      CHECK(equation.terms[t].relation == (t == 1 ? "=" : "+"));
      CHECK(equation.terms[t].map.range == logits.map.range);
      CHECK_NOTHROW(parse_equation(equation.terms[t].symbol));
    }
    for (std::size_t i = 0; i < logits.map.values->size(); ++i) {
      double sum = 0;
      for (std::size_t t = 1; t < equation.terms.size(); ++t)
        sum += (*equation.terms[t].map.values)[i];
      CHECK(sum == Approx((*logits.map.values)[i]).margin(1e-13));
    }
  }
}

TEST_CASE("DeBERTa's two terms of position, a thousandth of the logits, have a stated factor") {
  const Result result = run_score_decomposition(sentence, {{"encoding", "deberta"}});
  const auto& equation = content_of<MapEquation>(result, "equation_deberta");
  REQUIRE(equation.terms.size() == 4);
  CHECK(equation.terms[1].factor == 1);
  for (const std::size_t t : {2u, 3u}) {
    const MapTerm& term = equation.terms[t];
    CHECK(term.factor >= 100);
    bool seen = false;
    for (std::size_t i = 0; i < term.map.values->size(); ++i) {
      const double drawn = term.factor * std::abs((*term.map.values)[i]);
      CHECK(drawn <= term.map.range->max);
      seen = seen || drawn > 0.39 * term.map.range->max;  // the next factor would be too large
    }
    CHECK(seen);
    CHECK_FALSE(term.is_relative());
  }
  CHECK_THAT(result.figures.at(0).caption, Contains("drawn larger: content → position ×"));
}

TEST_CASE("Profiles of an equation are arrays and a table, too") {
  const Result result =
      run_score_decomposition(sentence, {{"encoding", "alibi"}, {"causal", "true"}});
  const Array& profile = array(result, "term_alibi_linear_bias_diagonals");
  CHECK(profile.shape == std::vector<std::size_t>{10, 5});
  const auto& equation = content_of<MapEquation>(result, "equation_alibi");
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(at(profile, i, 0) == static_cast<double>(i));
    CHECK(at(profile, i, 1) == static_cast<double>(10 - i));
    CHECK(at(profile, i, 2) == equation.profiles.series.at(2).y.at(i));
    CHECK(at(profile, i, 2) == Approx(-0.5 * static_cast<double>(i)));
  }
  CHECK(column(table(result, "profiles"), "smallest").size() == 30);
}

TEST_CASE("q and k from files have their equation of maps") {
  std::vector<double> q, k;
  for (int i = 0; i < 32; ++i) {
    q.push_back((5 * i % 9 - 4) / 4.0);
    k.push_back((3 * i % 7 - 3) / 4.0);
  }
  const Inputs inputs{{"q", tensor({8, 4}, q)}, {"k", tensor({8, 4}, k)}};
  const Result result = run_score_decomposition(inputs, {{"encoding", "t5"}});
  const auto& equation = content_of<MapEquation>(result, "equation_t5");
  REQUIRE(equation.terms.size() == 3);
  CHECK_FALSE(equation.terms[1].is_relative());
  CHECK(equation.terms[2].is_relative());
}

TEST_CASE("One token has terms but no shares, and nothing fails") {
  const Result result =
      run_score_decomposition(text_input("alone"), {{"encoding", "sinusoidal+rope+t5"}});
  check_all_hold(result);
  CHECK(std::isnan(scalar(result, "sinusoidal_content_share")));
}

TEST_CASE("Positions that the format of a stage does not reach are refused before any work") {
  const auto from = [](const char* first) {
    return run_score_decomposition(
        sentence, {{"encoding", "alibi"}, {"first_position", first}, {"stage.position", "fp16"}});
  };
  CHECK_THROWS_WITH(from("65500"), Contains("fp16 with positions up to 65509") &&
                                       Contains("the largest number of fp16 is 65504"));
  CHECK_NOTHROW(from("65490"));
}

TEST_CASE("A decomposition of q and k alone cannot have what is added before the projections") {
  const Tensor two = tensor({2, 2}, {1, 2, 3, 4});
  CHECK_THROWS_WITH(run_score_decomposition({{"q", two}, {"k", two}}, {{"encoding", "sinusoidal"}}),
                    Contains("encoding=sinusoidal with q and k"));
  CHECK_THROWS_AS(run_score_decomposition({}, {}), UsageError);
}
