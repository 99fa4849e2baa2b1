
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/assignments.h"
#include "experiments/sweeps/sweep_spec.h"
#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"
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

Words notes_on(const std::string& experiment, const Words& words) {
  return expand_model_words(find_experiment(experiment).info.params, words).notes;
}

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
    for (const std::string& note : notes_on(experiment, {model.word()})) text += note + "\n";
    return text;
  };
  CHECK_THAT(notes("relative_invariance"), !Contains("axes"));
  CHECK_THAT(notes("spectrum"), Contains("the axes of M-RoPE"));
}

TEST_CASE("two kinds of layers are two points, and what they share is fixed") {
  const ConfigFile model(gemma);
  SweepSpec spec = sweep_spec_named("long_term_decay");
  apply_words(spec, {model.word(), "layer=0,1,5"});
  CHECK(spec.zips == std::vector<Words>{{"base", "rope.scaling", "rope.factor"}});
  CHECK(std::count(spec.notes.begin(), spec.notes.end(),
                   "not in this experiment: the window of 4096 tokens (m − n < 4096)") == 1);
  const auto points = combinations_of(spec).points;
  REQUIRE(points.size() == 2);
  for (const auto& point : points) {
    CHECK(point.params.integer("dim") == 256);
    CHECK(point.params.text("rope.pairing") == "half_split");
  }
  CHECK(points[0].params.real("base") == 10000);
  CHECK(points[0].params.text("rope.scaling") == "none");
  CHECK(points[1].params.real("base") == 1000000);
  CHECK(points[1].params.real("rope.factor") == 8);
}

TEST_CASE("zipped keys may repeat a value, and layers of one kind are one point") {
  const ConfigFile model(R"({"model_type": "gemma3_text", "num_hidden_layers": 6,
    "head_dim": 256, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}})");
  SweepSpec spec = sweep_spec_named("long_term_decay");
  apply_words(spec, {model.word(), "layer=0,5", "rope.factor=4"});
  CHECK(combinations_of(spec).points.size() == 2);
  const ConfigFile same(R"({"model_type": "gpt_oss", "num_hidden_layers": 4})");
  SweepSpec one = sweep_spec_named("long_term_decay");
  apply_words(one, {same.word(), "layer=0,1"});
  CHECK(combinations_of(one).points.size() == 1);
  SweepSpec zipped = sweep_spec_named("long_term_decay");
  apply_words(zipped, {"base=1e4,1e4,5e5", "dim=32,64,64"});
  add_zip(zipped, "base,dim");
  CHECK(combinations_of(zipped).points.size() == 3);
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
  refused({model.word(), "layer=x"}, "number of a layer");
  refused({model.word(), "layer=0,"}, "number of a layer");
  refused({model.word(), model.word()}, "given twice");
  refused({"model=/nowhere/config.json"}, "cannot be read");
  const ConfigFile mamba(R"({"model_type": "mamba", "num_hidden_layers": 2})");
  refused({mamba.word()}, "not_attention");
}

TEST_CASE("LongRoPE's lists are settings too, and turn as in Transformers on both sides of L0") {
  const auto golden = test::golden("rope_scaling.json");
  int cases = 0;
  for (const auto& c : golden.at("transformers")) {
    const auto& given = c.at("settings");
    if (given.at("rope.scaling") != "longrope" || c.at("pairing") != "half_split") continue;
    INFO("length " << given.at("rope.length"));
    ++cases;
    const double original = given.at("rope.original_length");
    const ConfigFile model(nlohmann::json{
        {"model_type", "phi3"},
        {"num_hidden_layers", 2},
        {"hidden_size", 32},
        {"num_attention_heads", 2},
        {"max_position_embeddings", original * given.at("rope.factor").get<double>()},
        {"original_max_position_embeddings", original},
        {"rope_scaling",
         {{"type", "longrope"},
          {"short_factor", given.at("short_factor")},
          {"long_factor", given.at("long_factor")}}}}
                               .dump());
    const Experiment& spectrum = find_experiment("spectrum");
    ParamSet params(spectrum.info.params);
    const Words words = expanded(
        "spectrum", {model.word(), "layer=1", "rope.length=" + given.at("rope.length").dump()});
    for (const auto& [key, value] : parse_assignments(params, words)) params.set(key, value);
    SilentProgress progress;
    const Result result = spectrum.run(params, {}, progress);
    const std::vector<double>& theta = test::column(result, "theta");
    const auto bits = c.at("inv_freq_bits").get<std::vector<std::uint32_t>>();
    REQUIRE(theta.size() == bits.size());
    for (std::size_t t = 0; t < bits.size(); ++t)
      CHECK(theta[t] == Approx(std::bit_cast<float>(bits[t])).epsilon(0x1p-21).margin(0));
  }
  CHECK(cases == 4);
}

TEST_CASE("a note does not print the whole of a long list") {
  std::vector<double> factors(48, 1.0625);
  const ConfigFile model(nlohmann::json{
      {"model_type", "phi3"},
      {"num_hidden_layers", 1},
      {"hidden_size", 96},
      {"num_attention_heads", 1},
      {"rope_scaling",
       {{"type", "longrope"}, {"factor", 4}, {"short_factor", factors}, {"long_factor", factors}}}}
                             .dump());
  const Words notes = notes_on("spectrum", {model.word()});
  CHECK_THAT(notes.at(0), Contains("rope.long_factor=1.0625+1.0625+"));
  CHECK_THAT(notes.at(0), Contains("+…"));
  CHECK(notes.at(0).size() < 500);
}
