// orrery positions, and the settings of a layer in the other commands.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/shell.h"
#include "tests/support/approved_file.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr const char* gemma = R"({"model_type": "gemma3", "text_config": {
  "model_type": "gemma3_text", "num_hidden_layers": 8, "head_dim": 256, "sliding_window": 1024,
  "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}, "vision_config": {}})";

std::string golden_gguf(const std::string& name) {
  return "'" + tests_folder() + "/golden/gguf/" + name + ".gguf'";
}

}  // namespace

TEST_CASE("positions prints layers that do the same together, with the reason of each value") {
  const Shell shell;
  shell.write("config.json", gemma);
  const Outcome printed = shell.run("positions config.json");
  CHECK(printed.status == 0);
  CHECK(printed.out == approved_file("cli/positions.txt", printed.out));
  CHECK(shell.run("positions .").out == shell.run("positions ./config.json").out);
}

TEST_CASE("positions speaks JSON with every frequency") {
  const Shell shell;
  shell.write("config.json", gemma);
  const json plan = json::parse(shell.run("positions config.json --json").out);
  REQUIRE(plan.at("layers").size() == 8);
  CHECK(plan.at("assumed").size() == 1);
  const json& full = plan.at("layers").at(5);
  CHECK(full.at("encoding") == "rope");
  CHECK(full.at("pairing") == "half_split");
  CHECK(full.at("base") == 1e6);
  CHECK(full.at("inv_freq").size() == 128);
  CHECK(full.at("inv_freq").at(0) == 0.125);
  CHECK(full.at("attention_factor") == 1.0);
  CHECK(full.at("softmax_scale") == 0.0625);
  CHECK(full.at("window").is_null());
  CHECK(full.at("params").at("rope.factor") == 8.0);
  CHECK(plan.at("layers").at(0).at("window") == 1024);
}

TEST_CASE("positions compares a configuration with its GGUF, and status 1 says that they differ") {
  const Shell shell;
  shell.write("config.json",
              R"({"model_type": "llama", "hidden_size": 256, "num_attention_heads": 2,
    "num_hidden_layers": 2, "rope_theta": 500000.0, "rope_scaling": {"factor": 8.0,
    "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192,
    "rope_type": "llama3"}})");
  shell.write("lost.json", R"({"model_type": "llama", "hidden_size": 256, "num_attention_heads": 2,
    "num_hidden_layers": 2, "rope_theta": 500000.0})");
  const Outcome same = shell.run("positions config.json " + golden_gguf("llama31"));
  CHECK(same.status == 0);
  CHECK_THAT(same.out, Contains("the same positions in every layer"));
  CHECK_THAT(same.out, Contains("Note: pairs"));
  const Outcome lost = shell.run("positions lost.json " + golden_gguf("llama31"));
  CHECK(lost.status == 1);
  CHECK_THAT(lost.out, Contains("frequencies (35 of 64 pairs, from pair 29 on), layers 0–1"));
  const json difference = json::parse(shell.run("positions lost.json config.json --json").out);
  CHECK(difference.at("same") == false);
  CHECK(difference.at("differences").at(0).at("layers") == json{0, 1});
}

TEST_CASE("positions writes a sweep that computes every kind of layer") {
  const Shell shell;
  shell.write("config.json", gemma);
  const Outcome printed = shell.run("positions config.json --sweep long_term_decay");
  CHECK(printed.status == 0);
  shell.write("layers.toml", printed.out);
  CHECK(shell.run("sweep layers.toml max_distance=16 --format none --out s").status == 0);
  const std::string rows = content(shell.folder() / "s/results.csv");
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 3);
  CHECK(shell.run("positions config.json --sweep long_term_decay --json").status == 2);
  const Outcome misspelt = shell.run("positions config.json --sweep long_term_decya");
  CHECK(misspelt.status == 2);
  CHECK_THAT(misspelt.err, Contains("did you mean long_term_decay"));
}

TEST_CASE("model_layers draws the plan of a configuration and of a GGUF, and records the file") {
  const Shell shell;
  shell.write("config.json", gemma);
  CHECK(shell.run("run model_layers model=config.json context=4096 --format svg --out a").status ==
        0);
  CHECK_THAT(content(shell.folder() / "a/figures/layers.svg"), Contains("2 kinds"));
  const json inputs = json::parse(content(shell.folder() / "a/manifest.json")).at("inputs");
  CHECK(inputs.at(0).at("sha256").get<std::string>().size() == 64);
  CHECK(shell
            .run("run model_layers model=" + golden_gguf("llama31") +
                 " context=4096 --format none --out b")
            .status == 0);
  const json result = json::parse(content(shell.folder() / "b/result.json"));
  CHECK(result.at("scalars").at(0).at("value") == 2);
  CHECK(shell.run("run model_layers model=config.json layer=3").status == 2);
}

TEST_CASE("positions refuses what is no model") {
  const Shell shell;
  shell.write("text.json", "hello");
  CHECK(shell.run("positions text.json").status == 3);
  CHECK(shell.run("positions nothing.json").status == 4);
  CHECK(shell.run("positions .").status == 4);
  CHECK(shell.run("positions").status == 2);
  CHECK(shell.run("positions text.json --length 0").status == 2);
}

TEST_CASE("run takes the settings of a model's layer and makes the result without the file") {
  const Shell shell;
  shell.write("config.json", gemma);
  const Outcome ran = shell.run("run spectrum model=config.json layer=5 --format none --out a");
  CHECK(ran.status == 0);
  CHECK_THAT(ran.err, Contains("layer 5 of config.json is dim=256 base=1000000"));
  CHECK(shell
            .run("run spectrum dim=256 base=1e6 rope.pairing=half_split rope.scaling=linear "
                 "rope.factor=8 --format none --out b")
            .status == 0);
  CHECK(content(shell.folder() / "a/result.json") == content(shell.folder() / "b/result.json"));
}
