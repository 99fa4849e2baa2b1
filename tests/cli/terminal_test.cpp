// What is written for people holds nothing that their terminal would obey.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/npy_files.h"
#include "tests/cli/shell.h"
#include "tests/support/sampled.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// Clears the screen, sets the title, turns the direction, breaks lines by Unicode, and CSI in C1.
const std::string name = "a\x1b[2J\x1b]0;t\x07\u202Eb\u2028c\u009b31m";

/// Everything that may not be written: controls but line breaks, directions, separators.
std::string obeyed_in(const std::string& text) {
  std::string found;
  for (const char c : text)
    if ((c >= 0 && c < ' ' && c != '\n') || c == '\x7f') found += std::to_string(int{c}) + " ";
  for (const char* one : {"\u202E", "\u2028", "\u009b", "\u202d", "\u2066"})
    if (text.find(one) != std::string::npos) found += "bidi or separator ";
  return found;
}

/// Runs a command line of bash with the name in $N.
Outcome run_named(const Shell& shell, const std::string& arguments) {
  shell.write("command.sh", "exec \"$1\" " + arguments);
  shell.write("name.txt", name);
  return shell.run_program("env N=\"$(cat name.txt)\" bash command.sh", "");
}

}  // namespace

TEST_CASE("No command writes what a terminal would obey, whatever files and folders are called") {
  if (!is_tried(5)) return;
  const Shell in;
  std::vector<double> numbers(32);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(1.0 + double(i));
  in.write("q.npy", npy("(4, 8)", numbers));
  in.write(name + ".toml", "experiment = \"rotation\"\n[sweep]\ndistance = [1, 2]\n");
  in.write(name + ".md", "# " + name + "\n");
  in.write(name + ".json",
           "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 8, "
           "\"num_hidden_layers\": 1, \"architectures\": [\"\u202Ex\"]}");
  fs::create_directories(in.folder() / name);
  for (const char* which : {"q", "k"}) {
    fs::copy_file(in.folder() / "q.npy", in.folder() / name / (which + name + "_before.npy"));
    fs::copy_file(in.folder() / "q.npy", in.folder() / name / (which + name + "_after.npy"));
  }
  REQUIRE(in.run("run rotation --format none --quiet --out r").status == 0);
  const std::vector<std::string> commands{
      "plan \"$N.toml\" --no-sample --out \"$N\"",
      "plan \"$N.toml\" --no-sample --list --json",
      "plan \"$N.toml\" --emit slurm --no-sample --out \"$N\"",
      "plan \"$N.toml\" --emit parallel --out \"$N\"",
      "plan \"$N.toml\" --emit mpi --out \"$N\"",
      "plan \"$N.toml\" --emit snakemake --no-sample --out \"$N\"",
      "sweep \"$N.toml\" --format none --out \"sweep $N\"",
      "status \"sweep $N\"",
      "status \"sweep $N\" --json",
      "plot \"sweep $N\" --format svg",
      "report \"sweep $N\"",
      "compare \"sweep $N\" \"sweep $N\"",
      "export \"sweep $N\"",
      "note \"sweep $N\" \"$N\"",
      "run rotation --out \"$N/run\"",
      "run attend q=q.npy k=q.npy v=q.npy encoding=rope --out \"$N.npz\"",
      "run apply encoding=rope x=q.npy --out \"$N/x.npy\"",
      "run identify pairs=\"$N\"",
      "run identify before=q.npy after=\"$N.npy\" --json",
      "run model_layers model=\"$N.json\"",
      "run model_layers model=\"$N.json\" --json",
      "sweep rope_scaling model=\"$N.json\" layer=0,1",
      "lesson list \"$N.md\"",
      "lesson check \"$N.md\"",
      "describe \"$N\"",
      "verify --only \"$N\"",
      "\"$N\""};
  std::size_t showing = 0;
  for (const std::string& command : commands) {
    const Outcome outcome = run_named(in, command);
    INFO(command << "\n" << outcome.out << outcome.err);
    if (command.rfind("export", 0) != 0) CHECK(obeyed_in(outcome.out).empty());
    CHECK(obeyed_in(outcome.err).empty());
    if ((outcome.out + outcome.err).find("2J") != std::string::npos) ++showing;
    if (command.find("--json") != std::string::npos && outcome.status == 0)
      CHECK_NOTHROW(nlohmann::json::parse(outcome.out));
  }
  CHECK(showing > commands.size() / 2);  // the names are shown, escaped
}

TEST_CASE("model_layers --json holds the file's text, escaped where it turns the direction") {
  const Shell shell;
  shell.write("config.json",
              "{\"model_type\": \"x\u202Ey\u2066\", \"hidden_size\": 64, "
              "\"num_attention_heads\": 8, \"num_hidden_layers\": 1, "
              "\"rope_theta\": 10000.0}");
  const Outcome outcome = shell.run("run model_layers model=config.json --format none --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(obeyed_in(outcome.out).empty());
  CHECK_THAT(outcome.out, Contains("x\\u202ey\\u2066"));
  CHECK(nlohmann::json::parse(outcome.out).dump().find("x\u202Ey\u2066") != std::string::npos);
}

TEST_CASE("A report of a changed result passes nothing on, to the terminal or into Markdown") {
  const Shell shell;
  REQUIRE(shell.run("run rotation --format none --quiet --out r").status == 0);
  const fs::path manifest = shell.folder() / "r/manifest.json";
  auto json = nlohmann::ordered_json::parse(content(manifest));
  json["run"]["argv"] = {"orrery", "run", "x" + name};
  std::ofstream(manifest) << json.dump();
  const Outcome outcome = shell.run("report r");
  CHECK(obeyed_in(outcome.err + outcome.out).empty());
  const std::string markdown = content(shell.folder() / "r-report.md");
  CHECK_THAT(markdown, Contains("$'x"));
  CHECK(obeyed_in(markdown).empty());
}

TEST_CASE("CSV is written byte for byte into a file, and filtered for a terminal") {
  const Shell shell;
  shell.write(name + ".txt", "a text of words");
  shell.write("sweep.toml",
              "experiment = \"attention_map\"\n[params]\ncontents = \"random\"\ndim = "
              "4\nmax_tokens = 2\n[sweep]\ntext = "
              "[\"a\\u001b[2J\\u202Eb.txt\", \"bundled:the_orrery.txt\"]\n");
  const std::string raw = "a\x1b[2J\u202Eb";
  shell.write(raw + ".txt", "a text of words");
  REQUIRE(shell.run("sweep sweep.toml --format none -q --out s").status == 0);
  CHECK(shell.run("export s").out == content(shell.folder() / "s/results.csv"));
  CHECK_THAT(content(shell.folder() / "s/results.csv"), Contains(raw));
  if (std::system("script --version >/dev/null 2>&1") != 0) {
    WARN("skipped: script of util-linux is not installed");
    return;
  }
  shell.write("export.sh", "'" + cli_program() + "' export s");
  shell.run_program("script -qec 'bash export.sh' seen.txt </dev/null; true", "");
  const std::string seen = content(shell.folder() / "seen.txt");
  CHECK_THAT(seen, Contains("id,status") && Contains("a\\x1b[2J"));
  CHECK(seen.find("\x1b[2J") == std::string::npos);
}
