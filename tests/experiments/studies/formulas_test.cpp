
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"

namespace orrery {
namespace {

using Params = Settings;

std::string sources(std::string experiment, Params params, FigureRole role = {}) {
  std::string text;
  for (const Formula& one :
       formulas_of({std::move(experiment), std::move(params), std::move(role)}))
    text += (text.empty() ? "" : ", ") + std::string(one.source);
  return text;
}

FigureRole of(std::string encoding) { return {.kind = "any", .encodings = {std::move(encoding)}}; }

/// Whether a line of plain text is left of a formula, and nothing of its TeX.
void check_plain(const Formula& formula) {
  INFO(formula.tex);
  const std::string text = formula_text(formula.tex);
  INFO(text);
  CHECK_FALSE(text.empty());
  CHECK(text.find_first_of("\\{}\n") == std::string::npos);
  CHECK(text.find("  ") == std::string::npos);
  CHECK(text.find("∑") == std::string::npos);
}

TEST_CASE("Every experiment has formulas, and every one reads as plain text") {
  for (const Experiment* experiment : experiment_catalogue()) {
    const ExperimentInfo& info = experiment->info;
    INFO(info.name);
    CHECK_FALSE(info.formulas.empty());
    for (const Formula& one : info.formulas) check_plain(one);
    const ParamSet params(info.params);
    for (const FormulasOfChoice& choice : info.formulas_of_choices) {
      ParamSet chosen = params;
      CHECK_NOTHROW(chosen.set(choice.key, choice.value));
      for (const Formula& one : choice.formulas) check_plain(one);
    }
  }
}

TEST_CASE("Every encoding has formulas, and every one reads as plain text") {
  for (const EncodingSummary& encoding : encoding_list()) {
    INFO(encoding.name);
    CHECK_FALSE(encoding.formulas.empty());
    for (const Formula& one : encoding.formulas) check_plain(one);
  }
}

TEST_CASE("A figure that is of one encoding has that one's formulas") {
  const Params both{{"encoding", "sinusoidal+rope"}};
  CHECK(sources("score_decomposition", both, of("rope")) == "eq. (35)");
  CHECK(sources("score_decomposition", both, of("sinusoidal")) == "eq. (6)");
  CHECK(sources("score_decomposition", both, of("transformer_xl")) == "Dai et al. 2019");
  CHECK(sources("encoding_matrix", both, of("t5")) == "eq. (8)");
  CHECK(sources("encoding_matrix", both, {.encodings = {"shaw", "t5", "deberta"}}) ==
        "Shaw et al. 2018, eq. (8), He et al. 2021");
  CHECK(sources("encoding_matrix", {{"encoding", "none"}}).empty());
}

TEST_CASE("A figure of several encodings has the formulas of each, once") {
  CHECK(sources("score_decomposition", {{"encoding", "sinusoidal+rope"}}) == "eq. (6), eq. (35)");
  CHECK(sources("score_decomposition", {{"encoding", "sinusoidal+learned"}}) == "eq. (6)");
  CHECK(sources("score_decomposition", {{"encoding", "alibi"}}) == "Press et al. 2022");
}

TEST_CASE("An experiment whose formulas depend on nothing has them on every figure") {
  CHECK(sources("attention_map", {{"encoding", "t5"}}, of("t5")) == "eq. (2), eq. (2)");
  CHECK(sources("spectrum", {}) == "sec. 3.3, ");
  CHECK(sources("no such experiment", {{"encoding", "rope"}}, of("rope")).empty());
  CHECK(sources("score_decomposition", {{"encoding", "no such encoding"}}) == "eq. (6)");
}

TEST_CASE("The measure brings its formula") {
  const auto text = [](const char* measure) {
    return formula_text(
        formulas_of({"equal_half_distance", {{"dim", "64"}, {"measure", measure}}}).front().tex);
  };
  CHECK(text("logit") == "L(h)/L(0) = 1/2");
  CHECK(text("weight") == "e^(L(h)−L(0)) = 1/2");
}

TEST_CASE("Every encoding has a score of its own to show") {
  std::set<std::string_view> shown;
  const ParamSet params(find_experiment("score_decomposition").info.params);
  const auto& encodings = params.spec("encoding").choices;
  CHECK(encodings.size() >= 10);
  for (const Choice& encoding : encodings) {
    INFO(encoding.name);
    const auto formulas = formulas_of({"score_decomposition", {}, of(encoding.name)});
    REQUIRE(formulas.size() == 1);
    shown.insert(formulas[0].tex);
  }
  CHECK(shown.size() == encodings.size() - 1);  // sinusoidal and learned vectors are both added
}

TEST_CASE("A symbol is explained by the encoding shown, then the experiment, then by custom") {
  const FormulaSubject alibi{"score_decomposition", {{"encoding", "alibi"}}};
  CHECK(symbol_meaning(alibi, "s_h") == "slope of the head");
  CHECK(symbol_meaning({"score_decomposition", {{"encoding", "rope"}}}, "s_h").empty());
  CHECK(symbol_meaning({"long_term_decay"}, "S_j") ==
        "partial sum of the phasors of the first $j$ pairs");
  CHECK(symbol_meaning({"long_term_decay"}, "d") == "channels of a head");
  CHECK(symbol_meaning({"no such experiment"}, "m") == "position of the query");
  CHECK(symbol_meaning(alibi, "no such symbol").empty());
}

}  // namespace
}  // namespace orrery
