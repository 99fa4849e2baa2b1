// Which terms are functions of m − n alone: those that are declared to be, of every encoding.
#include <catch2/catch.hpp>

#include <string>

#include "core/encodings/catalogue.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/experiments.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;

namespace {

/// What the encoding says of itself.
bool claims_relative(const std::string& name) {
  const ParamSet params = params_for(score_decomposition_experiment(), {{"encoding", name}});
  return make_encoding<double>(name, {.d_model = 8, .d_head = 8, .heads = 8, .params = params})
      ->traits()
      .relative;
}

/// FIRE is relative among the queries before its threshold, and not beyond.
Settings settings_of(const std::string& name, const std::string& projection) {
  Settings settings{{"contents", "random"}, {"encoding", name}, {"projection", projection}};
  if (name == "fire") settings.emplace_back("fire.threshold", "2");
  return settings;
}

const Inputs sentence = text_input("the cat and the dog met the cat and ran");

}  // namespace

TEST_CASE("Relative are, up to rounding, just those terms that are declared to be") {
  for (const EncodingSummary& encoding : encoding_list())
    for (const std::string projection : {"identity", "random"}) {
      const Result result = run_experiment(score_decomposition_experiment(),
                                           settings_of(encoding.name, projection), sentence);
      const auto parts = column<std::string>(table(result, "terms"), "part");
      const auto& equation = content_of<MapEquation>(result, "equation_" + encoding.name);
      REQUIRE(parts.size() + 1 == equation.terms.size());
      CHECK_FALSE(equation.terms.at(0).is_relative());
      for (std::size_t t = 0; t < parts.size(); ++t) {
        const MapTerm& term = equation.terms[t + 1];
        INFO(encoding.name << " " << projection << ": " << term.name << ", spread " << term.spread
                           << " against " << term.rounding);
        const bool of_positions = parts[t] == "position–position";
        // Sinusoids are relative to each other, as long as nothing projects them.
        const bool sinusoids = encoding.name == "sinusoidal" && projection == "identity";
        CHECK(term.is_relative() ==
              (of_positions && (claims_relative(encoding.name) || sinusoids)));
        CHECK(term.rounding < 1e-9);
      }
    }
}

TEST_CASE("A declared relative term is checked in every run, and only such a term") {
  for (const EncodingSummary& encoding : encoding_list()) {
    INFO(encoding.name);
    const Result result =
        run_experiment(score_decomposition_experiment(),
                       with_random_contents({{"encoding", encoding.name}}), sentence);
    const auto parts = column<std::string>(table(result, "terms"), "part");
    std::size_t declared = 0;
    for (const std::string& part : parts)
      if (part == "position–position" && claims_relative(encoding.name)) ++declared;
    CHECK(result.checks.size() == 2 + declared);
    check_all_hold(result);
  }
}
