// A control that is not dimmed changes the result: in every view, with every encoding, with files.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/studies/catalogue.h"
#include "tests/experiments/studies/moved_controls.h"
#include "tests/support/experiment_run.h"
#include "tests/support/paths.h"
#include "tests/support/sampled.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Findings = std::map<std::string, std::string>;

/// A view with what it reads.
struct Scene {
  const Experiment* experiment;
  ParamSet params;
  Inputs inputs;
  std::string name{};
  bool is_sampled{true};  ///< of its controls some are moved, of other scenes all

  Findings with(const ParamSet& moved) const {
    return test::findings_of(*experiment, moved, inputs);
  }
};

struct Count {
  std::size_t moved{}, dimmed{};
  std::string dead{};
};

/// Whether every figure says that the control changes nothing in it, or files decide its number.
bool is_dimmed(const Scene& scene, const Result& result, const std::string& key) {
  for (const ValueInUse& used : result.in_use)
    if (used.key == key && !used.why.empty()) return true;
  return std::all_of(result.figures.begin(), result.figures.end(), [&](const Figure& figure) {
    return ignores(scene.experiment->info, figure, scene.params.spec(key), scene.params);
  });
}

/// Moves each control until the result changes, or is refused with a reason.
void move_all(const Scene& scene, Count& count) {
  SilentProgress progress;
  const Result result = scene.experiment->run(scene.params, scene.inputs, progress);
  const Findings before = scene.with(scene.params);
  for (const ParamSpec& spec : scene.params.specs()) {
    // Another file is another scene, and free text has no neighbour.
    if (!scene.params.is_used(spec.key) || spec.kind == ParamKind::file ||
        spec.kind == ParamKind::text)
      continue;
    if (is_dimmed(scene, result, spec.key)) {
      ++count.dimmed;
      continue;
    }
    const std::size_t number = count.moved++;
    if (scene.is_sampled && !test::is_tried(number)) continue;
    const std::vector<ParamSet> moves = test::moves_of(scene.params, spec);
    const bool lives = std::any_of(moves.begin(), moves.end(), [&](const ParamSet& moved) {
      // The file is read for this length.
      const bool is_read_anew = spec.role == ParamRole::read_length;
      return (is_read_anew ? test::findings_of(*scene.experiment, moved, load_inputs(moved).inputs)
                           : scene.with(moved)) != before;
    });
    // It cancels in what a shift changes; that a move of it has no effect, the desktop says then.
    // So do rotated values, but for roundings, which some CPUs have and others not.
    // Four decimals of a passport without losses hide how it was computed.
    const bool cancels =
        spec.key == "alibi.bias_scale" || spec.key == "rope.rotary_value" ||
        (scene.experiment->info.name == "passport" && spec.role == ParamRole::precision);
    if (!lives && !cancels) count.dead += "\n" + scene.name + ": " + spec.key;
  }
}

void check_none_dead(const Count& count, std::size_t at_least) {
  CHECK(count.moved >= at_least);
  INFO(count.dead);
  CHECK(count.dead.empty());
}

TEST_CASE("A control that is not dimmed changes the result of its view") {
  Count count;
  for (const Experiment* experiment : experiment_catalogue()) {
    const ParamSet params = test::small_params(*experiment);
    Inputs inputs = test::some_inputs(*experiment);
    if (inputs.empty()) inputs = load_inputs(params).inputs;
    move_all({experiment, params, inputs, experiment->info.name}, count);
  }
  check_none_dead(count, 270);
}

/// A wave through an array.
Tensor some_rows(std::vector<std::size_t> shape, double phase) {
  std::size_t size = 1;
  for (const std::size_t one : shape) size *= one;
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::sin(static_cast<double>(i) + phase);
  return test::tensor(std::move(shape), std::move(values));
}

TEST_CASE("A control that is not dimmed changes the result of dropped texts and arrays") {
  Count count;
  const auto scene = [&](const char* name, const Settings& settings, Inputs inputs) {
    Scene made{&find_experiment(name), test::small_params(find_experiment(name)), std::move(inputs),
               std::string(name) + " with files"};
    for (const auto& [key, value] : settings) made.params.set(key, value);
    move_all(made, count);
  };
  const Inputs arrays{{"q", some_rows({3, 40, 16}, 0)},
                      {"k", some_rows({3, 40, 16}, 1)},
                      {"v", some_rows({3, 40, 16}, 2)}};
  const Inputs pair{{"q", some_rows({40, 16}, 0)}, {"k", some_rows({40, 16}, 1)}};
  const Settings named{{"q", "q.npy"}, {"k", "k.npy"}};
  scene("attention_map", {{"q", "q.npy"}, {"k", "k.npy"}, {"v", "v.npy"}}, arrays);
  scene("attention_map", {{"text", "mine.txt"}, {"max_tokens", "0"}},
        test::some_inputs(find_experiment("attention_map")));
  scene("score_decomposition", {{"q", "q.npy"}, {"k", "k.npy"}, {"encoding", "rope"}}, arrays);
  scene("score_decomposition", {{"text", "mine.txt"}, {"max_tokens", "0"}},
        test::some_inputs(find_experiment("score_decomposition")));
  scene("linear_attention", named, arrays);
  scene("long_term_decay", {{"assumption", "file"}, {"q", "q.npy"}, {"k", "k.npy"}}, arrays);
  scene("rotation", {{"content", "file"}, {"q", "q.npy"}, {"k", "k.npy"}}, arrays);
  scene("identify", {{"before", "a.npy"}, {"after", "b.npy"}},
        {{"before", pair.at("q")}, {"after", pair.at("k")}});
  check_none_dead(count, 100);
}

TEST_CASE("A control that is not dimmed changes the result of dropped models") {
  const TempFolder folder;
  const std::map<std::string, std::string> configs{
      {"llama", R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
                    "num_hidden_layers": 2, "rope_theta": 10000.0})"},
      {"llama 3.1", R"({"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4,
          "num_hidden_layers": 2, "rope_theta": 500000.0,
          "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                           "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})"},
      {"yarn", R"({"model_type": "qwen2", "hidden_size": 256, "num_attention_heads": 4,
          "num_hidden_layers": 2, "rope_theta": 1000000.0,
          "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
                           "original_max_position_embeddings": 32768}})"},
      {"bloom", R"({"model_type": "bloom", "hidden_size": 64, "n_head": 4, "n_layer": 2})"},
      {"gpt2", R"({"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2})"}};
  Count count;
  const Experiment& experiment = find_experiment("model_layers");
  for (const auto& [name, text] : configs) {
    Scene scene{&experiment, test::small_params(experiment), {}, "model_layers with " + name};
    scene.params.set("model", folder.file("config.json", text).string());
    scene.inputs = load_inputs(scene.params).inputs;
    move_all(scene, count);
  }
  CHECK(count.dimmed == 9);  // trained lengths that a file says or that turn no pairs, and `length`
  check_none_dead(count, 11);
}

/// The folders of the models that Transformers has drawn, each with the ids that it was run on, and
/// GGUFs without weights.
std::vector<fs::path> test_models() {
  std::vector<fs::path> models;
  for (const auto& entry : fs::directory_iterator(test::tests_folder() + "/golden/transformer"))
    if (fs::exists(entry.path() / "expected.npz")) models.push_back(entry.path());
  for (const auto& entry : fs::directory_iterator(test::tests_folder() + "/golden/gguf"))
    if (entry.path().extension() == ".gguf") models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  return models;
}

/// An experiment with a model and so many times its ids; none where it refuses that model.
std::optional<Scene> scene_of(const Experiment& experiment, const fs::path& model, int times) {
  Scene scene{&experiment,
              test::small_params(experiment),
              {},
              experiment.info.name + " with " + model.filename().string(),
              false};
  scene.params.set("model", model.string());
  const bool reads_tokens = scene.params.has("tokens");
  if (reads_tokens) scene.params.set("tokens", (model / "expected.npz").string() + "#tokens");
  if (scene.params.has("questions")) scene.params.reset("questions");
  if (scene.params.has("edits")) scene.params.reset("edits");
  try {
    scene.inputs = load_inputs(scene.params).inputs;
    if (reads_tokens) {
      auto& tokens = std::get<Tensor>(scene.inputs.at("tokens"));
      const std::vector<double> once = tokens.values;
      for (int more = 1; more < times; ++more)
        tokens.values.insert(tokens.values.end(), once.begin(), once.end());
      tokens.shape = {tokens.values.size()};
    }
    SilentProgress progress;
    static_cast<void>(experiment.run(scene.params, scene.inputs, progress));
  } catch (const Error&) {
    return std::nullopt;
  }
  return scene;
}

TEST_CASE("A control that is not dimmed changes the result of every test model") {
  Count count;
  std::size_t scenes = 0;
  const std::vector<fs::path> models = test_models();
  for (std::size_t m = 0; m < models.size(); ++m)
    for (const Experiment* experiment : experiment_catalogue()) {
      if (!test::is_tried(m)) continue;
      const ParamSet params(experiment->info.params);
      const bool counts_tokens =
          params.has("tokens") && params.spec("tokens").kind != ParamKind::file;
      if (!params.has("model") || params.spec("model").kind != ParamKind::file || counts_tokens)
        continue;
      std::optional<Scene> scene = scene_of(*experiment, models[m], 6);
      if (!scene) scene = scene_of(*experiment, models[m], 1);  // a table of 20 positions
      if (!scene) continue;
      ++scenes;
      move_all(*scene, count);
    }
  if (test::all_is_tried()) CHECK(scenes >= 490);  // encoders have no loss, T5's stacks no heads
  check_none_dead(count, 300);
}

}  // namespace
}  // namespace orrery
