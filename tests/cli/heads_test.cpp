// The experiments that ask a model, and orrery passport.
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

/// `orrery run NAME model=MODEL tokens=ids.npy REST` in a folder with ids of a text and of another.
struct Asked {
  Shell shell{};

  Asked() {
    shell.write("ids.npy", npy("(16,)", {5, 17, 31, 2, 5, 17, 31, 2, 9, 40, 9, 8, 40, 9, 8, 31}));
    shell.write("other.npy", npy("(16,)", {5, 17, 31, 2, 5, 17, 31, 2, 9, 40, 9, 8, 40, 9, 7, 30}));
  }

  Outcome run(const std::string& name, const std::string& model, const std::string& rest) const {
    return shell.run("run " + name + " --format none model=" + small_model(model) +
                     (name == "repeat" ? " " : " tokens=ids.npy ") + rest);
  }
  json read(const std::string& name, const std::string& model, const std::string& rest,
            int status = 0) const {
    const Outcome outcome = run(name, model, rest + " --json");
    CAPTURE(outcome.err);
    CHECK(outcome.status == status);
    return json::parse(outcome.out);
  }
};

json table_of(const json& result, const std::string& name) {
  for (const json& table : result.at("tables"))
    if (table.at("name") == name) return table;
  return {};
}

json column_of(const json& table, const std::string& name) {
  for (const json& column : table.at("columns"))
    if (column.at("name") == name) return column.at("values");
  return {};
}

double scalar_of(const json& result, const std::string& name) {
  for (const json& scalar : result.at("scalars"))
    if (scalar.at("name") == name) return scalar.at("value").get<double>();
  return -1;
}

std::vector<std::string> columns_in(const std::string& line) {
  std::istringstream cells(line);
  std::vector<std::string> all;
  for (std::string cell; std::getline(cells, cell, ',');) all.push_back(cell);
  return all;
}

}  // namespace

TEST_CASE("model_heads prints every head, and keeps its arrays in one file") {
  const Asked asked;
  CHECK_THAT(asked.run("model_heads", "llama-off", "").out,
             Contains("one row per head") && Contains("induction"));
  const json result = asked.read("model_heads", "llama-off", "parts=2 repeated=4 swaps=3");
  CHECK(column_of(table_of(result, "heads"), "previous").size() == 8);
  CHECK(column_of(table_of(result, "heads_on_repeated"), "induction").size() == 8);
  CHECK(column_of(table_of(result, "chosen"), "tested").size() >= 8);
  CHECK(asked.run("model_heads", "bert-off", "--out heads.npz").status == 0);
  CHECK(asked.run("model_heads", "bert-off", "--out heads.npz").status == 4);
}

TEST_CASE("A sweep over heads has the numbers of a run") {
  const Asked asked;
  const json run = asked.read("model_heads", "llama-off", "length=16 edit=mute:0@1");
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
    const json previous = column_of(table_of(run, "heads"), "previous");
    CHECK(measure("head_previous") == Approx(previous.at(row).get<double>()));
    CHECK(measure("edited_loss") == Approx(scalar_of(run, "edited_loss")));
  }
}

TEST_CASE("Edits in words are those of what_if, with the text that corpus_mean reads") {
  const Asked asked;
  CHECK_THAT(asked.run("model_heads", "llama-off", "edit=base:500").out,
             Contains("what the edits add to the loss"));
  const json result = asked.read("model_heads", "llama-off", "edit='zero:1.0 sign@1'");
  CHECK(column_of(table_of(result, "heads"), "change").size() == 8);
  CHECK(asked
            .run("model_heads", "llama-off",
                 "edit=corpus_mean:0.1 corpus_tokens=other.npy precision=exact")
            .status == 0);
}

TEST_CASE("settle prints a verdict for each question, and its status says if one is against") {
  const Asked asked;
  // Its weights are random: frequencies predict better.
  const Outcome outcome = asked.run("settle", "llama-off", "parts=4");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Contains("pairing") && Contains("undecided") && !Contains("confirmed  "));
  CHECK_THAT(outcome.out, Contains("it predicts no better than token frequencies") &&
                              Contains("something is wrong that no question is about"));
  const json result = asked.read("settle", "llama-off", "parts=4 questions=base edit=sign", 1);
  CHECK(column_of(table_of(result, "verdicts"), "question") == json::array({"base"}));
  CHECK(column_of(table_of(result, "hypotheses"), "p").size() > 2);
}

TEST_CASE("lens and patch print what lies between the layers") {
  const Asked asked;
  CHECK_THAT(asked.run("lens", "llama-off", "token=3").out,
             Contains("the most probable tokens of each state") && Contains("p_3"));
  const json lens = asked.read("lens", "gemma2-on", "next=2");
  CHECK(column_of(table_of(lens, "becomes"), "p_2").size() == 3);
  CHECK_THAT(asked.run("patch", "llama-off", "corrupted_tokens=other.npy answer=4 foil=9").out,
             Contains("head_output"));
  const json heads =
      asked.read("patch", "llama-off", "corrupted_tokens=other.npy answer=4 foil=9 by=head");
  CHECK(heads.at("arrays").size() == 1);
}

TEST_CASE("repeat prints the losses of both halves, with and without edits") {
  const Asked asked;
  const Outcome outcome = asked.run("repeat", "llama-off", "repeated=8 --out repeat.npz");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("second_loss") && Contains("gain_low"));
  const json edited = asked.read("repeat", "llama-off", "repeated=8 edit=still:0");
  CHECK(column_of(table_of(edited, "repeated"), "loss").size() == 16);
}

TEST_CASE("needle prints a table of lengths and depths") {
  const Asked asked;
  const std::string small = "lengths=8+12 question_length=1 answer_length=1 ";
  CHECK_THAT(asked.run("needle", "llama-off", small).out, Contains("how well facts are found"));
  const json table = asked.read("needle", "llama-off", small + "depths=3 edit=still:0");
  CHECK(column_of(table_of(table, "needle"), "found").size() == 6);
}

TEST_CASE("passport writes a page or JSON, and compares what it has written with a model") {
  const Asked asked;
  const std::string small = " tokens=ids.npy parts=4 targets=1 repeated=4 ";
  const Outcome one =
      asked.shell.run("passport " + small_model("llama-off") + small + "--out a.json");
  CHECK(one.status == 0);
  CHECK_THAT(one.out, Contains("what changes cost") && Contains("verified by its loss"));
  const Outcome both =
      asked.shell.run("passport a.json " + small_model("bert-off") + small + "--out both.html");
  CHECK(both.status == 0);
  CHECK_THAT(both.out, Contains("differences"));
  CHECK_THAT(content(asked.shell.folder() / "both.html"), Contains("Two passports"));
  CHECK(json::parse(asked.shell.run("passport a.json --json").out).at("passport") == 2);
  CHECK_THAT(asked.shell.run("passport a.json seed=3").err, Contains("no model is asked"));
  CHECK_THAT(asked.shell.run("passport a.json --out a.txt").err, Contains(".html or .json"));
  CHECK(asked.shell.run("passport nothing.json").status == 4);
  CHECK(asked.run("passport", "llama-off", "parts=3").status == 2);
  CHECK(asked.run("passport", "llama-off", "parts=4 targets=1 repeated=4 --out r").status == 0);
  CHECK_THAT(content(asked.shell.folder() / "r/passport.json"), Contains("\"passport\":2"));
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
  refused("model_heads", "llama-off", "edit=bse:3", 2, "did you mean base?");
  refused("model_heads", "bloom-on", "edit=base:3", 2, "changes nothing");
  refused("model_heads", "t5-on", "edit=sign", 2, "two texts");
  refused("model_heads", "llama-off", "parts=9", 2, "a part has 2 or more");
  refused("model_heads", "llama-off", "text=bundled:where_tokens_are.txt", 2, "one of the two");
  refused("settle", "llama-off", "parts=2", 2, "4 or more");
  refused("settle", "bert-off", "parts=4", 2, "does not predict");
  refused("settle", "llama-off", "parts=4 questions=pairng", 2, "pairing");
  refused("lens", "llama-off", "token=16", 2, "token=16");
  refused("lens", "bert-bare", "", 2, "no head");
  refused("needle", "llama-off", "lengths=64", 2, "give a longer text");
  refused("needle", "llama-off", "lengths=8.5", 2, "whole number");
  refused("needle", "llama-off", "fact=cog", 2, "all three");
  refused("patch", "llama-off", "corrupted_tokens=ids.npy", 2, "nothing would differ");
  refused("repeat", "llama-off", "first=4000", 2, "first=4000");
  CHECK(asked.shell.run("run lens model=nowhere tokens=ids.npy").status == 4);
}

TEST_CASE("Commands that became experiments say what to type") {
  const Shell shell;
  CHECK_THAT(shell.run("lens model tokens=ids.npy").err,
             Contains("lens: is an experiment and no command; type orrery run lens model=MODEL"));
  CHECK_THAT(shell.run("what_if model --edit sign").err,
             Contains("type orrery run model_heads model=MODEL edit=EDITS"));
  CHECK_THAT(shell.run("run model_answers ask=lens").err,
             Contains("type lens, patch, repeat or needle in place of ask="));
}

TEST_CASE("The passports that come with Orrery are read, and small") {
  const Shell shell;
  for (const std::string name : {"smollm2", "minilm", "bytes_rope"}) {
    const std::string path = source_folder() + "/assets/passports/" + name + ".json";
    const Outcome read = shell.run("passport '" + path + "' --json");
    CHECK(read.status == 0);
    CHECK(json::parse(read.out) == json::parse(content(path)));
    REQUIRE(shell.run("passport '" + path + "' --out " + name + ".html").status == 0);
    CHECK(content(shell.folder() / (name + ".html")).size() < 150'000);
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
