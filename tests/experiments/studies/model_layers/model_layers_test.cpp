#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/results/result_json.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/experiment_run.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result layers_of(const std::string& path, const std::string& context = "4096") {
  const Experiment& experiment = find_experiment("model_layers");
  ParamSet params(experiment.info.params);
  params.set("model", path);
  params.set("context", context);
  SilentProgress progress;
  return experiment.run(params, load_inputs(params).inputs, progress);
}

const Figure* find_figure(const Result& result, const std::string& id) {
  for (const Figure& figure : result.figures)
    if (figure.id == id) return &figure;
  return nullptr;
}

}  // namespace

TEST_CASE("Gemma 3: two kinds of layers, one of them with windows") {
  const Result result = layers_of("bundled:gemma_3_27b.json");
  CHECK(scalar(result, "layers") == 62);
  CHECK(scalar(result, "layers_with_window") == 52);
  CHECK(scalar(result, "reach") == 4095);
  CHECK(scalar(result, "pairs") == 62 * 64);
  const Figure* layers = find_figure(result, "layers");
  REQUIRE(layers);
  CHECK(std::get<TableFigure>(layers->content).rows.size() == 2);
  const Figure* bands = find_figure(result, "bands");
  REQUIRE(bands);
  CHECK(std::get<Heatmap>(bands->content).values->shape == std::vector<std::size_t>{62, 64});
  for (const Check& check : result.checks) {
    INFO(check.statement);
    CHECK(check.holds());
  }
}

TEST_CASE("A stack of windows reaches as far as their sum") {
  const TempFolder folder;
  const auto file = folder.file("config.json",
                                R"({"model_type": "mistral", "num_hidden_layers": 5, "head_dim": 8,
                                    "sliding_window": 100})");
  const Result result = layers_of(file.string());
  CHECK(scalar(result, "reach") == 5 * 99);
  CHECK(scalar(result, "effective_field") < 5 * 99);
  CHECK(scalar(result, "half_field") < scalar(result, "effective_field"));
}

TEST_CASE("A model without RoPE has no bands, and one of linear interpolation all of them seen") {
  const TempFolder folder;
  const auto bloom = folder.file("bloom.json", R"({"model_type": "bloom", "n_layer": 2,
    "hidden_size": 64, "n_head": 4})");
  const Result without = layers_of(bloom.string());
  CHECK_FALSE(find_figure(without, "bands"));
  CHECK(scalar(without, "pairs") == 0);
  const auto linear = folder.file("linear.json", R"({"model_type": "llama",
    "num_hidden_layers": 2, "head_dim": 8,
    "max_position_embeddings": 131072,
    "rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0}})");
  CHECK(scalar(layers_of(linear.string(), "131072"), "unseen_pairs") == 0);
  const auto plain = folder.file("plain.json", R"({"model_type": "llama",
    "num_hidden_layers": 2, "head_dim": 8, "max_position_embeddings": 32768,
    "rope_theta": 1e9})");
  CHECK(scalar(layers_of(plain.string(), "32768"), "unseen_pairs") == 0);
  CHECK(scalar(layers_of(plain.string(), "65536"), "unseen_pairs") == 4);
}

TEST_CASE("The result names the file by its last folder, and a missing one is refused") {
  const TempFolder folder;
  const auto file = folder.file("config.json", R"({"model_type": "llama",
    "num_hidden_layers": 1, "head_dim": 8})");
  const Result result = layers_of(file.string());
  CHECK_THAT(find_figure(result, "layers")->title, Contains("/config.json: 1 layer of 1 kind"));
  CHECK_THROWS_WITH(layers_of(""), Contains("names no file"));
  CHECK_THROWS_AS(layers_of("/nowhere/config.json"), IoError);
  CHECK_THROWS_WITH(layers_of("bundled:no_such.json"), Contains("is not a bundled model"));
}

namespace {

const char* const llama_3_1 = R"({"model_type": "llama", "hidden_size": 4096,
  "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32,
  "rope_theta": 500000.0, "max_position_embeddings": 131072,
  "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                   "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})";

std::string description_of(const Result& result, const std::string& name) {
  for (const Scalar& one : result.scalars)
    if (one.name == name) return one.description;
  FAIL("no scalar " << name);
  return "";
}

}  // namespace

TEST_CASE("Pairs that turn farther are said to do so beyond unscaled positions, not a training") {
  const TempFolder folder;
  const std::string file = folder.file("config.json", llama_3_1).string();
  const Result result = layers_of(file, "131072");
  CHECK(scalar(result, "unseen_pairs") == 928);
  CHECK_THAT(find_figure(result, "bands")->title,
             Contains("928 pairs meet unseen angles in 131072 tokens; 928 are extrapolated, ") &&
                 Contains("192 interpolated"));
  CHECK_THAT(find_figure(result, "unseen_pairs")->title, Contains("8192 unscaled positions"));
  CHECK_THAT(description_of(result, "unseen_pairs"), Contains("8192 unscaled positions"));
  const std::string json = json_text(to_json(result));
  CHECK_THAT(json, !Contains("training"));
}

TEST_CASE("A length that the file names is the one in use, whatever is given") {
  const TempFolder folder;
  const std::string file = folder.file("config.json", llama_3_1).string();
  const Experiment& experiment = find_experiment("model_layers");
  const auto run = [&](const char* trained) {
    ParamSet params(experiment.info.params);
    params.set("model", file);
    params.set("trained", trained);
    SilentProgress progress;
    return experiment.run(params, load_inputs(params).inputs, progress);
  };
  const Result result = run("32768"), other = run("15");
  CHECK(scalar(result, "seen_positions") == 8192);
  CHECK(scalar(result, "layers_by_trained") == 0);
  const auto first_x = [](const Result& of) {
    return std::get<LinePlot>(find_figure(of, "unseen_pairs")->content).series.at(0).x.front();
  };
  CHECK(first_x(result) == 8192);
  CHECK(first_x(other) == 8192);
  CHECK(scalar(layers_of("bundled:gemma_3_27b.json"), "layers_by_trained") == 62);
}

TEST_CASE("What holds under uniform attention alone says so wherever it stands") {
  const TempFolder folder;
  const std::string file = folder.file("config.json", llama_3_1).string();
  const Result result = layers_of(file);
  const std::string words = "assuming that every head attends uniformly";
  for (const char* id : {"receptive_field", "influence"}) {
    CHECK_THAT(find_figure(result, id)->title, Contains("niform attention"));
    CHECK_THAT(find_figure(result, id)->caption, Contains(words));
  }
  for (const char* name : {"effective_field", "half_field", "first_token_influence"})
    CHECK_THAT(description_of(result, name), Contains(words));
  for (const Table& table : result.tables)
    if (table.name == "influence") CHECK_THAT(table.caption, Contains(words));
  // Through layers that show everything, influence gathers at the first token: that is why half of
  // it lies within the whole context.
  CHECK(scalar(result, "half_field") == 4095);
  CHECK(scalar(result, "first_token_influence") > 0.5);
}
