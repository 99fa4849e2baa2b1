// orrery model_heads, what_if, settle, lens, patch, repeat, needle, passport.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/npy_files.h"
#include "tests/cli/shell.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string small_model(const std::string& name) {
  return "'" + tests_folder() + "/golden/transformer/" + name + "'";
}

/// `orrery COMMAND MODEL tokens=ids.npy REST` in a folder with ids of a text and of another.
struct Asked {
  Shell shell{};

  Asked() {
    shell.write("ids.npy", npy("(16,)", {5, 17, 31, 2, 5, 17, 31, 2, 9, 40, 9, 8, 40, 9, 8, 31}));
    shell.write("other.npy", npy("(16,)", {5, 17, 31, 2, 5, 17, 31, 2, 9, 40, 9, 8, 40, 9, 7, 30}));
  }

  Outcome run(const std::string& command, const std::string& model, const std::string& rest) const {
    return shell.run(command + " " + small_model(model) + " tokens=ids.npy " + rest);
  }
  json read(const std::string& command, const std::string& model, const std::string& rest) const {
    const Outcome outcome = run(command, model, rest + " --json");
    CHECK(outcome.status == 0);
    return json::parse(outcome.out);
  }
};

std::vector<std::string> columns_in(const std::string& line) {
  std::istringstream cells(line);
  std::vector<std::string> all;
  for (std::string cell; std::getline(cells, cell, ',');) all.push_back(cell);
  return all;
}

}  // namespace

TEST_CASE("model_heads prints every head, and the same as JSON and arrays") {
  const Asked asked;
  CHECK_THAT(asked.run("model_heads", "llama-off", "repeated=4").out,
             Contains("2 layers of 4 heads") && Contains("1.3") && Contains("induction"));
  const json table = asked.read("model_heads", "llama-off", "parts=2 repeated=4 seed=3");
  CHECK(table.at("rows").size() == 8);
  CHECK(table.at("texts").size() == 2);
  CHECK(table.at("repeated").at("seed") == 3);
  CHECK(table.at("chosen_by_even_texts_tested_on_odd").at("previous").size() == 8);
  const Outcome bert = asked.run("model_heads", "bert-off", "repeated=0 --out heads.npz");
  CHECK(bert.status == 0);
  CHECK(asked.run("model_heads", "bert-off", "repeated=0 --out heads.npz").status == 4);
}

TEST_CASE("A sweep over heads has the numbers of model_heads and of what_if") {
  const Asked asked;
  const json table = asked.read("model_heads", "llama-off", "repeated=0 length=16 parts=1");
  const json effect = asked.read("what_if", "llama-off", "length=16 --edit mute:0@1");
  const Outcome swept =
      asked.shell.run("sweep model_heads model=" + small_model("llama-off") +
                      " tokens=ids.npy length=16 layer=1 head=0,3 edits=mute edited_layer=1 "
                      "--format none --out heads");
  CHECK(swept.status == 0);
  std::istringstream lines(content(asked.shell.folder() / "heads/results.csv"));
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> header = columns_in(line);
  for (const std::size_t row : {std::size_t{4}, std::size_t{7}}) {  // heads 0 and 3 of layer 1
    REQUIRE(std::getline(lines, line));
    const std::vector<std::string> cells = columns_in(line);
    const auto measure = [&](const char* name) {
      const auto at = std::find(header.begin(), header.end(), name) - header.begin();
      return std::stod(cells.at(static_cast<std::size_t>(at)));
    };
    const json& scores = table.at("rows").at(row).at("scores");
    CHECK(measure("head_previous") == Approx(scores.at("previous").get<double>()));
    CHECK(measure("edited_loss") == Approx(effect.at("loss").at("after").get<double>()));
  }
}

TEST_CASE("what_if prints the loss before and after, and keeps maps") {
  const Asked asked;
  CHECK_THAT(asked.run("what_if", "llama-off", "--edit base:500").out,
             Contains("mean loss") && Contains("computed twice from layer 0 on"));
  const Outcome without = asked.run("what_if", "llama-off", "");
  CHECK(without.status == 2);
  CHECK_THAT(without.err, Contains("--edit is required"));
  const json result = asked.read("what_if", "llama-off", "--edit zero:1.0 --edit sign@1");
  CHECK(result.at("edits") == json::array({"zero:1.0", "sign@1"}));
  CHECK(result.at("first_layer") == 1);
  CHECK(result.at("head_changes").size() == 4);
  CHECK(asked.run("what_if", "llama-off", "--edit still:0 --maps 1 --out maps.npz").status == 0);
  CHECK(asked
            .read("what_if", "llama-off",
                  "--edit corpus_mean:0.1 corpus_tokens=other.npy precision=fp64 changes=no")
            .at("head_changes")
            .empty());
}

TEST_CASE("settle prints a verdict for each question, and its status says if one is against") {
  const Asked asked;
  const Outcome outcome = asked.run("settle", "llama-off", "parts=4");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("pairing: undecided") && Contains("<- as it stands"));
  const json result = asked.read("settle", "llama-off", "parts=4 questions=base --edit sign");
  CHECK(result.at("asked_with") == json::array({"sign"}));
  CHECK(result.at("questions").size() == 1);
}

TEST_CASE("lens and patch print what lies between the layers") {
  const Asked asked;
  CHECK_THAT(asked.run("lens", "llama-off", "--positions 0,3").out,
             Contains("behind token 3 2") && Contains("embedding"));
  CHECK(asked.read("lens", "gemma2-on", "next=2").at("states").size() == 3);
  CHECK_THAT(asked.run("patch", "llama-off", "corrupted_tokens=other.npy answer=4 foil=9").out,
             Contains("head_output"));
  const json heads =
      asked.read("patch", "llama-off", "corrupted_tokens=other.npy answer=4 foil=9 by=head");
  CHECK(heads.at("effects").size() == 1);
  CHECK(heads.at("effects").at("head_output").size() == 2);
}

TEST_CASE("repeat prints the losses of both halves, with and without edits") {
  const Asked asked;
  const Outcome outcome =
      asked.shell.run("repeat " + small_model("llama-off") + " repeated=8 --out repeat.npz");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("second half") && Contains("95 % of 8 sequences"));
  const json edited = json::parse(
      asked.shell.run("repeat " + small_model("llama-off") + " repeated=8 --edit still:0 --json")
          .out);
  CHECK(edited.at("edits") == json::array({"still:0"}));
  CHECK(edited.at("loss_by_position").size() == 16);
}

TEST_CASE("needle prints a table of lengths and depths") {
  const Asked asked;
  CHECK_THAT(asked.run("needle", "llama-off", "lengths=8+12 key=1 value=1").out,
             Contains("share retrieved") && Contains("seed 0"));
  const json table =
      asked.read("needle", "llama-off", "lengths=8+12 key=1 value=1 depths=3 --edit still:0");
  CHECK(table.at("cells").size() == 6);
  CHECK(table.at("edits") == json::array({"still:0"}));
}

TEST_CASE("passport writes a page or JSON, and compares what it has written with a model") {
  const Asked asked;
  const std::string small = " tokens=ids.npy parts=4 targets=1 repeated=4 ";
  const Outcome one =
      asked.run("passport", "llama-off", "parts=4 targets=1 repeated=4 --out a.json");
  CHECK(one.status == 0);
  CHECK_THAT(one.out, Contains("what breaks it") && Contains("verified by its loss"));
  const Outcome both =
      asked.shell.run("passport a.json " + small_model("bert-off") + small + "--out both.html");
  CHECK(both.status == 0);
  CHECK_THAT(both.out, Contains("differences"));
  CHECK_THAT(content(asked.shell.folder() / "both.html"), Contains("Two passports"));
  CHECK(json::parse(asked.shell.run("passport a.json --json").out).at("passport") == 1);
  CHECK_THAT(asked.shell.run("passport a.json seed=3").err, Contains("no model is asked"));
  CHECK_THAT(asked.shell.run("passport a.json --out a.txt").err, Contains(".html or .json"));
  CHECK(asked.shell.run("passport nothing.json").status == 4);
  CHECK(asked.run("passport", "llama-off", "parts=3").status == 2);
}

TEST_CASE("Wrong questions end with the status of their kind, and say what to write") {
  const Asked asked;
  const auto refused = [&](const std::string& command, const std::string& model,
                           const std::string& rest, int status, const std::string& message) {
    const Outcome outcome = asked.run(command, model, rest);
    CAPTURE(command, rest, outcome.err);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains(message));
  };
  refused("what_if", "llama-off", "", 2, "--edit");
  refused("what_if", "llama-off", "--edit bse:3", 2, "did you mean base?");
  refused("what_if", "bloom-on", "--edit base:3", 2, "changes nothing");
  refused("what_if", "t5-on", "--edit sign", 2, "two texts");
  refused("what_if", "llama-off", "--edit sign --maps 5", 2, "head 5");
  refused("model_heads", "llama-off", "parts=9", 2, "a part has 2 or more");
  refused("model_heads", "llama-off", "--out heads.txt", 2, ".npz");
  refused("model_heads", "llama-off", "text=bundled:the_orrery.txt", 2, "one of the two");
  refused("settle", "llama-off", "parts=2", 2, "4 or more");
  refused("settle", "bert-off", "parts=4", 2, "does not predict");
  refused("settle", "llama-off", "parts=4 questions=pairng", 2, "pairing");
  refused("settle", "llama-off", "parts=4 --out arrays.npz", 2,
          "--out: is not an option of settle");
  refused("lens", "llama-off", "--positions 16", 2, "token 16");
  refused("lens", "bert-bare", "", 2, "no head");
  refused("patch", "llama-off", "", 2, "corrupted=FILE");
  refused("needle", "llama-off", "lengths=64", 2, "give a longer text");
  refused("needle", "llama-off", "lengths=8.5", 2, "whole number");
  refused("needle", "llama-off", "--fact cog", 2, "all three");
  refused("patch", "llama-off", "corrupted_tokens=ids.npy", 2, "nothing would differ");
  const Outcome first = asked.shell.run("repeat " + small_model("llama-off") + " first=4000");
  CHECK(first.status == 2);
  CHECK_THAT(first.err, Contains("first=4000"));
  CHECK(asked.shell.run("lens nowhere tokens=ids.npy").status == 4);
}

TEST_CASE("The passports that come with Orrery are read, and small") {
  const Shell shell;
  for (const std::string name : {"smollm2", "minilm", "bytes_rope"}) {
    const std::string path = source_folder() + "/assets/passports/" + name + ".json";
    const Outcome read = shell.run("passport '" + path + "' --json");
    CHECK(read.status == 0);
    CHECK(json::parse(read.out) == json::parse(content(path)));
    REQUIRE(shell.run("passport '" + path + "' --out " + name + ".html").status == 0);
    CHECK(content(shell.folder() / (name + ".html")).size() < 50'000);
  }
  // Its claims are of the model that comes with Orrery.
  const json shipped = json::parse(content(source_folder() + "/assets/passports/bytes_rope.json"));
  const Outcome again =
      shell.run("passport '" + source_folder() + "/assets/models/bytes_rope' --json");
  REQUIRE(again.status == 0);
  const json made = json::parse(again.out);
  CHECK(made["encoding"] == shipped["encoding"]);
  CHECK(made["how"] == shipped["how"]);
  const json &now = made["verified"]["questions"], &then = shipped["verified"]["questions"];
  REQUIRE(now.size() == then.size());
  for (std::size_t i = 0; i < then.size(); ++i) CHECK(now[i]["verdict"] == then[i]["verdict"]);
}
