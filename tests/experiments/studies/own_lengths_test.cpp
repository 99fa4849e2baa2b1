// A model is described at its own lengths, and what goes beyond them says so.
#include <catch2/catch.hpp>
#include <string>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/experiment_run.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

using Catch::Matchers::Contains;

Result run(const std::string& name, const Settings& settings) {
  const Experiment& experiment = find_experiment(name);
  const ParamSet params = test::params_for(experiment, settings);
  SilentProgress progress;
  Result result = experiment.run(params, load_inputs(params).inputs, progress);
  check_obeyed(params, result);
  return result;
}

double in_use(const Result& result, const std::string& key) {
  for (const ValueInUse& used : result.in_use)
    if (used.key == key) return used.value.value_or(-1);
  return -2;
}

TEST_CASE("A model opened is described at the lengths that its file names") {
  const Result own = run("model_layers", {{"model", "bundled:bytes_rope"}});
  CHECK(test::scalar(own, "reach") == 63);
  CHECK(test::scalar(own, "seen_positions") == 64);
  CHECK(in_use(own, "context") == 64);
  CHECK(in_use(own, "trained") == 64);
  const Result asked =
      run("model_layers", {{"model", "bundled:bytes_rope"}, {"context", "256"}, {"trained", "32"}});
  CHECK(test::scalar(asked, "reach") == 255);
  CHECK(test::scalar(asked, "seen_positions") == 32);
  CHECK_THROWS_WITH(run("model_layers", {{"context", "1"}}), Contains("context=1"));
  // Gemma 3 names 131072 and turns 8 times as slowly in its global layers.
  const Result gemma = run("model_layers", {});
  CHECK(test::scalar(gemma, "reach") == 131071);
  CHECK(in_use(gemma, "trained") == 16384);
}

TEST_CASE("A file that names no length is taken at the usual one") {
  const TempFolder folder;
  const std::string path =
      folder
          .file("config.json", R"({"model_type": "unheard_of", "hidden_size": 64,
                                   "num_attention_heads": 4, "num_hidden_layers": 2,
                                   "rope_theta": 10000.0})")
          .string();
  const Result result = run("model_layers", {{"model", path}});
  CHECK(in_use(result, "context") == 131072);
  CHECK(in_use(result, "trained") == 32768);
}

TEST_CASE("A length that the file decides is refused") {
  const TempFolder folder;
  const std::string path = folder
                               .file("config.json", R"({"model_type": "llama", "hidden_size": 256,
          "num_attention_heads": 4, "num_hidden_layers": 2, "rope_theta": 500000.0,
          "max_position_embeddings": 131072,
          "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                           "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})")
                               .string();
  CHECK(test::scalar(run("model_layers", {{"model", path}}), "seen_positions") == 8192);
  CHECK_THROWS_WITH(run("model_layers", {{"model", path}, {"trained", "32768"}}),
                    "trained=32768: changes nothing: The file says 8192.; leave trained out");
}

TEST_CASE("No default reads more than the model's file names, and what does says so") {
  const TempFolder folder;
  std::string words;
  for (int i = 0; i < 200; ++i) words += "where is it? ";
  const std::string text = folder.file("mine.txt", words).string();
  for (const char* name : {"forward", "model_heads", "lens", "attention_map"}) {
    INFO(name);
    const bool is_map = std::string(name) == "attention_map";
    const Result own = run(name, {{"text", text}});
    if (std::string(name) != "lens") CHECK(test::scalar(own, "tokens") == 64);
    for (const Figure& figure : own.figures) CHECK_THAT(figure.title, !Contains("beyond"));
    const Result more = run(name, {{"text", text}, {is_map ? "max_tokens" : "length", "100"}});
    if (std::string(name) != "lens") CHECK(test::scalar(more, "tokens") == 100);
    for (const Figure& figure : more.figures) CHECK_THAT(figure.title, Contains("beyond the 64"));
    if (is_map)
      CHECK_THAT(test::description(more, "tokens"), Contains("beyond the 64"));
    else
      CHECK(test::scalar(more, "longest") == 64);
  }
  const Result linear = run("linear_attention", {{"contents", "trained"}});
  CHECK(in_use(linear, "tokens") == 64);
  for (const char* tokens : {"64", "65"}) {
    const Result shifted = run("relative_invariance", {{"contents", "trained"},
                                                       {"encoding", "rope"},
                                                       {"precision", "exact"},
                                                       {"max_shift", "2"},
                                                       {"tokens", tokens}});
    const bool is_beyond = std::string(tokens) == "65";
    for (const Figure& figure : shifted.figures)
      CHECK((figure.title.find("beyond the 64") != std::string::npos) == is_beyond);
  }
  CHECK_THROWS_WITH(run("model_heads", {{"length", "1"}}), Contains("length=1"));
}

}  // namespace
}  // namespace orrery
