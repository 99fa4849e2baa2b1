// Own texts and arrays are read whole up to a limit, and what is left out is said.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/params.h"
#include "experiments/data/load_inputs.h"
#include "experiments/results/result_json.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> readers_of_texts{"attention_map", "score_decomposition"};
const std::vector<std::string> readers_of_arrays{"attention_map", "score_decomposition",
                                                 "linear_attention"};

Inputs text_of(std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) text += "w" + std::to_string(i % 23) + " ";
  return text_input(text.c_str());
}

Inputs arrays_of(std::size_t rows) {
  std::vector<double> values(rows * 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
  return {{"q", tensor({rows, 4}, values)}, {"k", tensor({rows, 4}, values)}};
}

Result result_of(const std::string& experiment, const Inputs& inputs, Settings settings = {}) {
  if (inputs.count("q")) {
    settings.emplace_back("q", "q.npy");
    settings.emplace_back("k", "k.npy");
  } else {
    settings.emplace_back("text", "mine.txt");
    settings.emplace_back("contents", "random");
    settings.emplace_back("dim", "8");
  }
  if (experiment == "linear_attention")
    for (const auto& few : Settings{{"features", "relu"}, {"most_features", "32"}, {"draws", "1"}})
      settings.push_back(few);
  else
    settings.emplace_back("encoding", "rope");
  return run_experiment(find_experiment(experiment), settings, inputs);
}

/// Every figure says it in title and caption, the result's JSON in a sentence.
void check_says(const Result& result, const std::string& words) {
  REQUIRE_FALSE(result.figures.empty());
  for (const Figure& figure : result.figures) {
    INFO(figure.id);
    CHECK_THAT(figure.title, Contains(words));
    CHECK_THAT(figure.caption, Contains(words));
  }
  CHECK_THAT(description(result, "tokens"), Contains(words));
  CHECK_THAT(json_text(to_json(result)), Contains(words));
}

void check_says_nothing(const Result& result) {
  for (const Figure& figure : result.figures) {
    CHECK_THAT(figure.title, !Contains("first "));
    CHECK_THAT(figure.caption, !Contains(" of 35 tokens"));
  }
}

}  // namespace

TEST_CASE("A text or arrays of one's own are read whole") {
  for (const std::string& name : readers_of_texts) {
    const Result result = result_of(name, text_of(35));
    INFO(name);
    CHECK(scalar(result, "tokens") == 35);
    check_says_nothing(result);
  }
  for (const std::string& name : readers_of_arrays) {
    const Result result = result_of(name, arrays_of(150));
    INFO(name);
    CHECK(scalar(result, "tokens") == 150);
    check_says_nothing(result);
  }
}

TEST_CASE("What max_tokens leaves out is said in title, caption and JSON") {
  for (const std::string& name : readers_of_texts)
    check_says(result_of(name, text_of(35), {{"max_tokens", "32"}}), "first 32 of 35 tokens");
  for (const std::string& name : readers_of_arrays)
    check_says(result_of(name, arrays_of(150), {{"max_tokens", "20"}}), "first 20 of 150 tokens");
}

TEST_CASE("Without max_tokens a long one is cut at a limit, and says so") {
  check_says(result_of("attention_map", text_of(1200)), "first 1024 of 1200 tokens");
  check_says(result_of("attention_map", arrays_of(1100)), "first 1024 of 1100 tokens");
}

TEST_CASE("A part of a map and tokens in another order keep saying which tokens there are") {
  check_says(result_of("attention_map", text_of(35),
                       {{"max_tokens", "32"}, {"part", "8"}, {"order", "reversed"}}),
             "first 32 of 35 tokens");
}

TEST_CASE("The text that comes with Orrery shows its beginning, and the caption says so") {
  for (const std::string& name : readers_of_texts) {
    const Experiment& experiment = find_experiment(name);
    const ParamSet params(experiment.info.params);
    SilentProgress progress;
    const Result result = experiment.run(params, load_inputs(params).inputs, progress);
    const bool trained = name == "attention_map";
    CHECK(scalar(result, "tokens") == (trained ? 48 : 32));
    CHECK_THAT(result.figures.at(0).title, !Contains("first"));
    CHECK_THAT(result.figures.at(0).caption,
               Contains(trained ? "trained with RoPE · first 48 of 2209 tokens"
                                : "no trained model · first 32 of "));
  }
}

TEST_CASE("Maps of one's own arrays do not claim that there is no trained model") {
  for (const std::string& name : readers_of_arrays)
    for (const Figure& figure : result_of(name, arrays_of(6)).figures)
      CHECK_THAT(figure.caption, !Contains("no trained model"));
}

TEST_CASE("Every map of random contents says that there is no trained model") {
  for (const std::string& name : readers_of_texts)
    for (const Figure& figure : result_of(name, text_of(6)).figures)
      CHECK_THAT(figure.caption, Contains("no trained model"));
  const Result linear =
      run_experiment(find_experiment("linear_attention"),
                     {{"dim", "8"}, {"tokens", "8"}, {"most_features", "32"}, {"draws", "1"}}, {});
  std::size_t maps = 0;
  for (const Figure& figure : linear.figures) {
    if (!std::holds_alternative<Heatmap>(figure.content)) continue;
    CHECK_THAT(figure.caption, Contains("no trained model"));
    ++maps;
  }
  CHECK(maps > 0);
}
