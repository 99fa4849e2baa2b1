// Weights that a training begins with: written, given, and given to PyTorch as well.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/data/safetensors.h"
#include "experiments/studies/experiments.h"
#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result trained(const Settings& settings) {
  const Experiment experiment = training_experiment();
  return run_experiment(experiment, settings, load_inputs(params_for(experiment, settings)).inputs);
}

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// A small model; the two tasks are those of BERT's and of GPT's.
Settings small(const char* model, const char* encoding, const char* task = "copy_at") {
  return {{"model", model}, {"encoding", encoding}, {"task", task},        {"tokens", "10"},
          {"batch", "2"},   {"heads", "2"},         {"dim", "4"},          {"steps", "6"},
          {"symbols", "5"}, {"checkpoints", "2"},   {"extrapolation", "1"}};
}

std::string weights_of(const Result& result, const std::string& model) {
  const std::string path = "models/" + model + "/model.safetensors";
  for (const ResultFile& one : result.files)
    if (one.path == path) return one.bytes;
  throw std::runtime_error("no file " + path);
}

/// A file of weights after a change.
class ChangedStart {
 public:
  explicit ChangedStart(const std::string& bytes) : tensors_(parse_safetensors(bytes, "start")) {}

  TensorMap& tensors() { return tensors_; }
  Settings given() const {
    std::vector<Array> arrays;
    for (const auto& [name, tensor] : tensors_)
      arrays.push_back({.name = name, .shape = tensor.shape, .values = tensor.values});
    std::vector<const Array*> listed;
    for (const Array& array : arrays) listed.push_back(&array);
    return {{"start", folder_.file("start.safetensors", safetensors_bytes(listed)).string()}};
  }

 private:
  TempFolder folder_{};
  TensorMap tensors_;
};

}  // namespace

TEST_CASE("From the weights that PyTorch begins with, 50 steps have the losses of PyTorch's") {
  const nlohmann::json cases = golden("training_start/training_start.json")["cases"];
  REQUIRE(cases.size() == 6);
  for (const nlohmann::json& one : cases) {
    Settings settings;
    for (const auto& [key, value] : one["settings"].items())
      settings.emplace_back(key, value.get<std::string>());
    const std::string encoding = one["settings"]["encoding"];
    CAPTURE(encoding);
    settings.emplace_back("start",
                          tests_folder() + "/golden/training_start/" + encoding + ".safetensors");
    const Result result = trained(settings);
    const std::vector<double>& losses = column(table(result, "curves"), "loss");
    REQUIRE(losses.size() == 50);
    REQUIRE(one["losses"].size() == 50);
    for (std::size_t step = 0; step < losses.size(); ++step) {
      CAPTURE(step);
      CHECK(losses[step] == Approx(one["losses"][step].get<double>()).epsilon(1e-5));
    }
  }
}

TEST_CASE("A run keeps what its models begin with, and takes the same steps from it again") {
  struct Case {
    const char* model;
    const char* encoding;
    const char* task;
    const char* pairing;
  };
  for (const Case& one :
       {Case{"plain", "t5", "copy_at", ""}, Case{"gpt2", "deberta", "copy_at", ""},
        Case{"llama", "rope", "copy_at", "interleaved"},
        Case{"llama", "rope", "copy_at", "half_split"}, Case{"gpt2", "learned", "copy_at", ""},
        Case{"roformer", "rope", "masked_language", "half_split"},
        Case{"roformer", "shaw", "masked_language", ""}}) {
    CAPTURE(one.model, one.encoding, one.pairing);
    Settings settings = small(one.model, one.encoding, one.task);
    if (*one.pairing != 0) settings.emplace_back("rope.pairing", one.pairing);
    const Result drawn = trained(settings);
    const TempFolder folder;
    for (const ResultFile& kept : drawn.files) folder.file(kept.path, kept.bytes);
    const std::string name = std::string("models/") + one.encoding + "_seed_0_step_";
    const auto from = [&](const std::string& place) {
      return trained(with(settings, {{"start", (folder.path() / place).string()}}));
    };
    const Result again = from(name + "0");
    CHECK(column(again, "loss") == column(drawn, "loss"));
    for (const char* step : {"0", "3", "6"}) {
      const std::string model = std::string(one.encoding) + "_seed_0_step_" + step;
      CHECK(weights_of(again, model) == weights_of(drawn, model));
    }
    // A model that was trained, by its file.
    const std::string first = std::string(one.encoding) + "_seed_0_step_0";
    CHECK(weights_of(from(name + "6/model.safetensors"), first) ==
          weights_of(drawn, std::string(one.encoding) + "_seed_0_step_6"));
  }
}

TEST_CASE("A start is for every encoding with its weights, and names what another one lacks") {
  const Result none = trained(small("plain", "none"));
  const ChangedStart start(weights_of(none, "none_seed_0_step_0"));
  const Result several = trained(with(small("plain", "rope+alibi+sinusoidal+none"), start.given()));
  for (const char* encoding : {"rope", "alibi", "sinusoidal", "none"})
    CHECK(weights_of(several, std::string(encoding) + "_seed_0_step_0") ==
          weights_of(none, "none_seed_0_step_0"));
  CHECK_THROWS_WITH(trained(with(small("plain", "none+t5"), start.given())),
                    Contains("has no tensor layers.0.position.t5.table") &&
                        Contains("encoding=t5") && Contains("[32, 2]"));
  // Llama's blocks with RoPE have Llama's names, and take Orrery's.
  const Result alibi = trained(small("llama", "alibi"));
  const ChangedStart own(weights_of(alibi, "alibi_seed_0_step_0"));
  const Result both = trained(with(small("llama", "rope+alibi"), own.given()));
  const TensorMap llama =
      parse_safetensors(weights_of(both, "rope_seed_0_step_0"), "rope_seed_0_step_0");
  CHECK(llama.at("model.layers.0.mlp.gate_proj.weight").values ==
        parse_safetensors(weights_of(alibi, "alibi_seed_0_step_0"), "alibi")
            .at("layers.0.gate.weight")
            .values);
}

TEST_CASE("A start that does not fit is refused by the name of the tensor") {
  const Settings settings = small("plain", "rope");
  const std::string bytes = weights_of(trained(settings), "rope_seed_0_step_0");
  const auto refused = [&](const auto& change) {
    ChangedStart start(bytes);
    change(start.tensors());
    try {
      trained(with(settings, start.given()));
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  const std::string q = "layers.0.attention.q.weight";
  CHECK_THAT(refused([&](TensorMap& t) { t.erase(q); }), Contains("has no tensor " + q));
  CHECK_THAT(refused([&](TensorMap& t) { t["lm_head.weight"] = tensor({1}, {2}); }),
             Contains("#lm_head.weight") && Contains("is no weight of a model"));
  CHECK_THAT(refused([&](TensorMap& t) {
               t.at(q).shape = {4, 16};
             }),
             Contains("#" + q) && Contains("is [4, 16], and ") && Contains("it is [8, 8]"));
  CHECK_THAT(refused([&](TensorMap& t) {
               t.at("head.norm.weight").shape = {1, 8};
             }),
             Contains("is [1, 8], and ") && Contains("it is [8]"));
  const auto number = [&](double value) {
    return refused([&](TensorMap& t) { t.at(q).values.at(9) = value; });
  };
  CHECK_THAT(number(std::numeric_limits<double>::quiet_NaN()),
             Contains("#" + q) && Contains("NaN at [1, 1]"));
  CHECK_THAT(number(1e300), Contains("inf at [1, 1]"));  // in fp32
  CHECK_THROWS_WITH(trained(with(settings, {{"start", "nowhere.safetensors"}})),
                    Contains("nowhere.safetensors"));
  const TempFolder folder;
  const auto cut = folder.file("cut.safetensors", bytes.substr(0, bytes.size() - 1));
  CHECK_THROWS_AS(trained(with(settings, {{"start", cut.string()}})), DataError);
  CHECK_THROWS_WITH(trained(with(settings, {{"start", cut.string()}, {"deviations_tried", "3"}})),
                    Contains("deviations_tried=3 with start="));
}

TEST_CASE("A part of the family that the lab's models have not must be zero in a start") {
  const Settings settings = small("roformer", "rope", "masked_language");
  const std::string bytes = weights_of(trained(settings), "rope_seed_0_step_0");
  ChangedStart start(bytes);
  // Transformers writes its table of sines and cosines.
  start.tensors()["roformer.encoder.embed_positions.weight"] = tensor({1, 4}, {0, 0, 1, 1});
  CHECK(weights_of(trained(with(settings, start.given())), "rope_seed_0_step_0") == bytes);
  for (auto& [name, tensor] : start.tensors())
    if (name.find("token_type") != std::string::npos) tensor.values.at(1) = 0.5;
  CHECK_THROWS_WITH(trained(with(settings, start.given())),
                    Contains("token_type_embeddings.weight") && Contains("holds 0.5"));
}
