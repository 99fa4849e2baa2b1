// Models whose weights do not fit their configuration, and one that overflows: tests/golden/broken_weights.
#include <catch2/catch.hpp>
#include <string>

#include "tests/cli/npy_files.h"
#include "tests/cli/shell.h"

using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

std::string broken(const std::string& name) {
  return "'" + tests_folder() + "/golden/broken_weights/" + name + "'";
}

}  // namespace

TEST_CASE("Weights that do not fit the configuration end with the tensor and both shapes") {
  struct Case {
    const char* model;
    const char* tensor;
    const char* shapes;
  };
  constexpr Case cases[] = {
      {"deberta2_conv_no_taps", "deberta.encoder.conv.conv.weight", "[16, 16, 0]"},
      {"deberta_q_bias_of_0", "deberta.encoder.layer.0.attention.self.q_bias", "[0], not [16]"},
      {"deberta_v_bias_of_1", "deberta.encoder.layer.0.attention.self.v_bias", "[1], not [16]"},
      {"gemma2_hidden_100000", "model.embed_tokens.weight", "100000] (vocabulary, d_embedding)"},
      {"gpt_neox_3d", "gpt_neox.layers.0.attention.query_key_value.weight", "[48, 16, 1]"},
      {"llama_norm_of_0", "input_layernorm.weight", "[0], not [16] (d_model)"},
      {"roberta_segments_2x3", "roberta.embeddings.token_type_embeddings.weight",
       "[2, 3], not [1, 16]"},
  };
  const Shell shell;
  shell.write("ids.npy", npy("(4,)", {5, 17, 31, 2}));
  for (const Case& one : cases) {
    const Outcome outcome =
        shell.run("run forward --format none tokens=ids.npy model=" + broken(one.model));
    CAPTURE(one.model, outcome.err);
    CHECK(outcome.status == 3);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Contains(one.tensor) && Contains(one.shapes) && Contains("#"));
  }
}

TEST_CASE("No output is written onto what is read") {
  const Shell shell;
  shell.write("ids.npy", npy("(4,)", {5, 17, 31, 2}));
  std::filesystem::copy(tests_folder() + "/golden/transformer/llama-off", shell.folder() / "model");
  const std::string before = content(shell.folder() / "model/model.safetensors");
  for (const char* line :
       {"run forward model=model tokens=ids.npy --force --out model/model.safetensors",
        "run lens model=model tokens=ids.npy --force --out model/model.safetensors",
        "run apply encoding=none x=ids.npy --force --out ids.npy"}) {
    const Outcome outcome = shell.run(line);
    CAPTURE(line, outcome.err);
    CHECK(outcome.status == 2);
  }
  CHECK(content(shell.folder() / "model/model.safetensors") == before);
  CHECK(shell.run("run forward model=model tokens=ids.npy --out model/pass.npz").status == 0);
  CHECK(shell.run("run forward model=model tokens=ids.npy --force --out model/pass.npz").status ==
        0);
}

TEST_CASE("With -q nothing is printed but JSON that was asked for") {
  const Shell shell;
  shell.write("ids.npy", npy("(16,)", {5, 17, 31, 2, 5, 17, 31, 2, 9, 40, 9, 8, 40, 9, 8, 31}));
  const std::string model = "'" + tests_folder() + "/golden/transformer/llama-off' ";
  for (const char* command : {"run forward --format none model=", "run lens --format none model=",
                              "run model_heads --format none model=",
                              "run settle --format none parts=4 questions=base model="}) {
    const std::string line = command + model + "tokens=ids.npy ";
    CAPTURE(line);
    CHECK(shell.run(line + " -q").out.empty());
    CHECK_THAT(shell.run(line + " -q --json").out, Contains("{"));
  }
  CHECK(shell.run("run model_layers -q --format none model=" + model).out.empty());
}

TEST_CASE("A pass that overflows names layer and token, in every command that runs one") {
  const Shell shell;
  shell.write("ids.npy", npy("(16,)", {5, 17, 31, 2, 5, 17, 31, 2, 9, 40, 9, 8, 40, 9, 8, 31}));
  shell.write("other.npy", npy("(16,)", {5, 17, 31, 2, 5, 17, 31, 2, 9, 40, 9, 8, 40, 9, 7, 30}));
  const std::string model = broken("gpt2_overflow");
  for (const char* command :
       {"run forward model=MODEL tokens=ids.npy",
        "run forward model=MODEL tokens=ids.npy --out pass.npz",
        "run model_heads model=MODEL tokens=ids.npy",
        "run model_heads model=MODEL tokens=ids.npy edit=zero:0.0",
        "run settle model=MODEL tokens=ids.npy parts=4", "run lens model=MODEL tokens=ids.npy",
        "run patch model=MODEL tokens=ids.npy corrupted_tokens=other.npy",
        "run repeat model=MODEL repeated=8 repeats=2 first=4",
        "run needle model=MODEL tokens=ids.npy lengths=8",
        "passport MODEL tokens=ids.npy parts=4"}) {
    std::string line = command;
    line.replace(line.find("MODEL"), 5, model);
    const Outcome outcome = shell.run(line);
    CAPTURE(line, outcome.err);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.err, Contains("of layer") && Contains("at token"));
  }
  CHECK_FALSE(std::filesystem::exists(shell.folder() / "pass.npz"));
}
