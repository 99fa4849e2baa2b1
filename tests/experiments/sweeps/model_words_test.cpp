#include "experiments/sweeps/model_words.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"
#include "tests/support/layers.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Words = std::vector<std::string>;

namespace {

/// A configuration in a folder of its own.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text)
      : path_(folder_.file("config.json", text).string()) {}
  const std::string& path() const { return path_; }
  std::string word() const { return "model=" + path_; }

 private:
  TempFolder folder_{};
  std::string path_;
};

constexpr const char* gemma = R"({"model_type": "gemma3_text", "num_hidden_layers": 6,
  "head_dim": 256, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}})";

Words expanded(const std::string& experiment, const Words& words) {
  return expand_model_words(find_experiment(experiment).info.params, words).words;
}

}  // namespace

TEST_CASE("a layer of a model stands for ordinary settings") {
  const ConfigFile model(gemma);
  CHECK(expanded("long_term_decay", {model.word(), "layer=5", "max_distance=64"}) ==
        Words{"encoding=rope", "dim=256", "base=1000000", "rope.pairing=half_split",
              "rope.scaling=linear", "rope.factor=8", "max_distance=64"});
  CHECK(expanded("long_term_decay", {"--model", model.path(), "--layer=0"}) ==
        Words{"encoding=rope", "dim=256", "base=10000", "rope.pairing=half_split"});
}

TEST_CASE("a layer of M-RoPE turns by axes where the experiment has them") {
  const ConfigFile model(R"({"model_type": "qwen3_vl_text", "num_hidden_layers": 2, "head_dim": 128,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5000000, "mrope_interleaved": true,
                        "mrope_section": [24, 20, 20]}})");
  CHECK(expanded("relative_invariance", {model.word(), "axis_rope.layout=diagonal"}) ==
        Words{"encoding=axis_rope", "dim=128", "base=5000000", "rope.pairing=half_split",
              "axis_rope.design=interleaved", "axis_rope.time_pairs=24", "axis_rope.row_pairs=20",
              "axis_rope.layout=diagonal"});
  const auto notes = [&](const char* experiment) {
    std::string text;
    for (const std::string& note :
         expand_model_words(find_experiment(experiment).info.params, {model.word()}).notes)
      text += note + "\n";
    return text;
  };
  CHECK_THAT(notes("relative_invariance"), !Contains("axes"));
  CHECK_THAT(notes("spectrum"), Contains("the axes of M-RoPE"));
}

TEST_CASE("an experiment about models keeps the word model=") {
  const ConfigFile model(gemma);
  CHECK(expanded("model_layers", {model.word()}) == Words{model.word()});
}

TEST_CASE("words that are typed win over those of the model") {
  const ConfigFile model(gemma);
  const Words words = expanded("long_term_decay", {model.word(), "layer=5", "base=500", "dim=64"});
  CHECK(std::count(words.begin(), words.end(), "base=500") == 1);
  CHECK(std::none_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "base=1000000"; }));
}

TEST_CASE("a sweep made from a model's layer has its settings and says what is left out") {
  const ConfigFile model(gemma);
  SweepSpec spec = sweep_spec_named("spectrum");
  apply_words(spec, {model.word(), "layer=0"});
  CHECK(combinations_of(spec).points.at(0).params.integer("dim") == 256);
  REQUIRE(spec.notes.size() >= 2);
  CHECK_THAT(spec.notes[0], Contains("base=10000"));
  CHECK_THAT(spec.notes[1], Contains("window"));
}

TEST_CASE("models and layers that give no settings are refused") {
  const ConfigFile model(gemma);
  const auto refused = [](const Words& words, const char* message) {
    CHECK_THROWS_WITH(expanded("long_term_decay", words), Contains(message));
  };
  refused({"layer=3"}, "says no model");
  refused({model.word(), "layer=6"}, "from 0 to 5");
  refused({model.word(), "layer=x"}, "number of one layer");
  refused({model.word(), model.word()}, "given twice");
  refused({"model=/nowhere/config.json"}, "cannot be read");
  const ConfigFile mamba(R"({"model_type": "mamba", "num_hidden_layers": 2})");
  refused({mamba.word()}, "not_attention");
  const ConfigFile longrope(R"({"model_type": "phi3", "hidden_size": 8, "num_attention_heads": 2,
    "rope_scaling": {"type": "longrope", "short_factor": [1, 2], "long_factor": [3, 4]}})");
  refused({longrope.word()}, "a table and no parameter");
}
