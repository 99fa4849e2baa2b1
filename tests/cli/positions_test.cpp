// orrery run model_layers, and the settings of a layer in other experiments.
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

TEST_CASE("model_layers prints layers that do the same together, with the reason of each value") {
  const Shell shell;
  shell.write("config.json", gemma);
  const Outcome printed = shell.run("run model_layers model=config.json --format none --out a");
  CHECK(printed.status == 0);
  const std::string answer = printed.out.substr(0, printed.out.find("  layers_without_positions"));
  CHECK(answer == approved_file("cli/positions.txt", answer));
  CHECK(content(shell.folder() / "a/tables/kind_2.csv").find("1000000") != std::string::npos);
  shell.run("run model_layers model=. --format none --out b");
  shell.run("run model_layers model=./config.json --format none --out c");
  CHECK((content(shell.folder() / "b/positions.json") ==
         content(shell.folder() / "c/positions.json")));
}

TEST_CASE("model_layers leaves every frequency as JSON") {
  const Shell shell;
  shell.write("config.json", gemma);
  shell.run("run model_layers model=config.json --format none --out a");
  const json plan = json::parse(content(shell.folder() / "a/positions.json"));
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

TEST_CASE("model_layers compares a configuration with its GGUF, and status 1 says they differ") {
  const Shell shell;
  shell.write("config.json",
              R"({"model_type": "llama", "hidden_size": 256, "num_attention_heads": 2,
    "num_hidden_layers": 2, "rope_theta": 500000.0, "rope_scaling": {"factor": 8.0,
    "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192,
    "rope_type": "llama3"}})");
  shell.write("lost.json", R"({"model_type": "llama", "hidden_size": 256, "num_attention_heads": 2,
    "num_hidden_layers": 2, "rope_theta": 500000.0})");
  const auto compared = [&](const char* file, const std::string& other, const char* options = "") {
    return shell.run("run model_layers --all context=4096 --format none model=" +
                     std::string(file) + " other=" + other + " " + options);
  };
  const Outcome same = compared("config.json", golden_gguf("llama31"));
  CHECK(same.status == 0);
  CHECK_THAT(same.out, Contains("holds  both files compute the same positions in every layer"));
  CHECK_THAT(same.out, Contains("note\n  pairs"));
  CHECK_THAT(same.out, !Contains("default of"));
  const Outcome lost = compared("lost.json", golden_gguf("llama31"));
  CHECK(lost.status == 1);
  CHECK_THAT(lost.out,
             Contains("  layers 0–1  frequencies (35 of 64 pairs, from pair 29 on)  pair "));
  const json result = json::parse(compared("lost.json", "config.json", "--json").out);
  CHECK(result.at("checks").back().at("name") == "same_positions");
  CHECK(result.at("checks").back().at("measured") == 1);
}

TEST_CASE("LongRoPE's frequencies are those of the length that is asked about") {
  const Shell shell;
  shell.write("config.json", R"({"model_type": "phi3", "num_hidden_layers": 1, "hidden_size": 16,
    "num_attention_heads": 4, "max_position_embeddings": 131072,
    "original_max_position_embeddings": 4096, "rope_scaling": {"type": "longrope",
    "short_factor": [1, 1], "long_factor": [2, 4]}})");
  const auto first = [&](const char* words, const char* out) {
    const std::string folder = out;
    CHECK(shell
              .run("run model_layers model=config.json context=4096 --format none --out " + folder +
                   words)
              .status == 0);
    return json::parse(content(shell.folder() / folder / "positions.json"))
        .at("layers")
        .at(0)
        .at("inv_freq")
        .at(0)
        .get<double>();
  };
  CHECK(first("", "a") == 1);
  CHECK(first(" length=4096", "b") == 1);
  CHECK(first(" length=8192", "c") == 0.5);
}

TEST_CASE("a sweep takes several layers, and computes every kind of them") {
  const Shell shell;
  shell.write("config.json", gemma);
  const Outcome printed = shell.run("run model_layers model=config.json --format none");
  CHECK_THAT(printed.out, Contains("orrery sweep long_term_decay model=config.json layer=0,5\n"));
  CHECK(shell
            .run("sweep long_term_decay model=config.json layer=0,5 max_distance=16 --format none "
                 "--out s")
            .status == 0);
  const std::string rows = content(shell.folder() / "s/results.csv");
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 3);
  CHECK(shell.run("sweep long_term_decay model=config.json layer=0,,5 --out t").status == 2);
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

TEST_CASE("model_layers refuses what is no model, and says so of the command that it was") {
  const Shell shell;
  shell.write("text.json", "hello");
  CHECK(shell.run("run model_layers model=text.json").status == 3);
  CHECK(shell.run("run model_layers model=nothing.json").status == 4);
  CHECK(shell.run("run model_layers model=.").status == 4);
  CHECK(shell.run("run model_layers other=text.json").status == 3);
  CHECK(shell.run("run model_layers length=-1").status == 2);
  const Outcome gone = shell.run("positions text.json");
  CHECK(gone.status == 2);
  CHECK_THAT(gone.err, Contains("type orrery run model_layers model="));
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

TEST_CASE("model_layers prints no control characters of a file") {
  const Shell shell;
  shell.write("config.json",
              "{\"model_type\": \"a\\u001b[2J\", \"n_layer\": 1, \"n_embd\": 8, "
              "\"n_head\": 1, \"rope_theta\": 1e4}");
  const Outcome printed = shell.run("run model_layers model=config.json --format none");
  CHECK(printed.status == 0);
  CHECK_THAT(printed.out, Contains("[2J"));
  CHECK(printed.out.find('\x1b') == std::string::npos);
}
