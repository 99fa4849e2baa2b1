#include "experiments/figure/equation/catalogue.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "experiments/catalogue.h"
#include "experiments/figure/equation/parse.h"

namespace orrery {
namespace {

using Params = std::vector<std::pair<std::string, std::string>>;

std::string sources(std::string_view experiment, const Params& params, std::string_view figure) {
  std::string text;
  for (const SetEquation& one : equations_of(experiment, params, figure))
    text += (text.empty() ? "" : ", ") + std::string(one.source);
  return text;
}

TEST_CASE("Every experiment has formulas, and every one can be read") {
  for (const Experiment* experiment : experiment_catalogue()) {
    INFO(experiment->info().name);
    CHECK_FALSE(equations_of(experiment->info().name).empty());
    for (const SetEquation& one : equations_of(experiment->info().name)) {
      INFO(one.tex);
      CHECK_NOTHROW(parse_equation(one.tex));
    }
  }
}

TEST_CASE("A figure that is of one encoding has that one's formulas") {
  const Params both{{"encoding", "sinusoidal+rope"}};
  CHECK(sources("score_decomposition", both, "term_rope_pairs_0_to_7") == "eq. (35)");
  CHECK(sources("score_decomposition", both, "term_sinusoidal_content") == "eq. (6)");
  CHECK(sources("score_decomposition", both, "bias_transformer_xl") == "Dai et al. 2019");
  CHECK(sources("encoding_matrix", both, "staircase_t5") == "eq. (8)");
  CHECK(sources("encoding_matrix", both, "staircases") ==
        "Shaw et al. 2018, eq. (8), He et al. 2021");
  CHECK(sources("encoding_matrix", {{"encoding", "none"}}, "whatever").empty());
}

TEST_CASE("A figure of several encodings has the formulas of each, once") {
  CHECK(sources("score_decomposition", {{"encoding", "sinusoidal+rope"}}, "shares") ==
        "eq. (6), eq. (35)");
  CHECK(sources("score_decomposition", {{"encoding", "sinusoidal+learned"}}, "shares") ==
        "eq. (6)");
  CHECK(sources("score_decomposition", {{"encoding", "alibi"}}, "shares") == "Press et al. 2022");
}

TEST_CASE("An experiment whose formulas depend on nothing has them on every figure") {
  CHECK(sources("attention_map", {{"encoding", "t5"}}, "weights_t5") == "eq. (2), eq. (2)");
  CHECK(sources("spectrum", {}, "wavelengths") == "sec. 3.3, ");
  CHECK(equations_of("no such experiment", {{"encoding", "rope"}}, "rope").empty());
}

TEST_CASE("The measure brings its formula") {
  const auto tex = [](const char* measure) {
    return std::string(
        equations_of("equal_half_distance", {{"dim", "64"}, {"measure", measure}}, "settings")
            .front()
            .tex);
  };
  CHECK(tex("logit") == equations_of("equal_half_distance").front().tex);
  CHECK(tex("weight") == equations_of("equal_half_distance/weight").front().tex);
  CHECK(tex("weight") != tex("logit"));
}

TEST_CASE("Every encoding has a score of its own to show") {
  std::set<std::string_view> shown;
  const ParamSet params(find_experiment("score_decomposition").info().params);
  const auto& encodings = params.spec("encoding").choices;
  CHECK(encodings.size() >= 10);
  for (const Choice& encoding : encodings) {
    INFO(encoding.name);
    const auto formulas =
        equations_of("score_decomposition", {}, "term_" + encoding.name + "_content");
    REQUIRE(formulas.size() == 1);
    CHECK_NOTHROW(parse_equation(formulas[0].tex));
    shown.insert(formulas[0].tex);
  }
  CHECK(shown.size() == encodings.size() - 1);  // sinusoidal and learned vectors are both added
}

}  // namespace
}  // namespace orrery
