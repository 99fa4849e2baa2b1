#include <catch2/catch.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/results/result_json.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/layers.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
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

double scalar(const Result& result, const std::string& name) {
  for (const Scalar& one : result.scalars)
    if (one.name == name) return one.value;
  FAIL("no scalar " << name);
  return 0;
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
    "rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0}})");
  CHECK(scalar(layers_of(linear.string(), "131072"), "unseen_pairs") == 0);
  const auto plain = folder.file("plain.json", R"({"model_type": "llama",
    "num_hidden_layers": 2, "head_dim": 8, "rope_theta": 1e9})");
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
