// A disk that fails while saved results are read: every command tells the disk's own reason, names
// the point, and ends with a status other than 0.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/shell.h"

namespace {

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

/// Runs orrery while `call` fails at the path, as often as it is tried or the given number of
/// times.
Outcome failing(const Shell& shell, const std::string& call, const fs::path& path,
                const std::string& arguments, const std::string& error = "EIO",
                const std::string& when = "1+") {
  return shell.run_program(
      fmt::format("ASAN_OPTIONS=detect_leaks=0 timeout 60 strace -f -qq -o trace.txt -P '{}' -e "
                  "trace={} -e inject={}:error={}:when={} -- ",
                  path.string(), call, call, error, when),
      arguments);
}

/// strace knows a path by how it is written: " s" is the folder of that name in full.
std::string absolute(const Shell& shell, std::string command) {
  for (const char* name : {" s", " r", " m"})
    for (std::size_t at = 0; (at = command.find(name, at)) != std::string::npos; at += 2)
      if (at + 2 == command.size() || command[at + 2] == ' ')
        command.replace(at, 2, " '" + (shell.folder() / (name + 1)).string() + "'");
  return command;
}

bool can_fail_reads() {
  const Shell shell;
  shell.write("file", "");
  return failing(shell, "read", shell.folder() / "file", "--version").status == 0;
}

fs::path first_point(const fs::path& sweep) {
  std::ifstream lines(sweep / "results.jsonl");
  std::string line;
  std::getline(lines, line);
  return sweep / "points" / nlohmann::json::parse(line)["id"].get<std::string>();
}

}  // namespace

#define SKIP_WHERE_READS_CANNOT_FAIL()                                              \
  if (!can_fail_reads()) {                                                          \
    WARN("skipped: strace is not installed, or this system lets nobody be traced"); \
    return;                                                                         \
  }

TEST_CASE("EIO at a file of a point is told as such by all that read the sweep") {
  SKIP_WHERE_READS_CANNOT_FAIL();
  const Shell shell;
  REQUIRE(
      shell.run("sweep long_term_decay dim=4,8 max_distance=6 --format svg -q --out s").status ==
      0);
  REQUIRE(shell
              .run("sweep long_term_decay dim=4,8 max_distance=6 --format svg -q --out m --shard "
                   "1/1")
              .status == 0);
  const fs::path point = first_point(shell.folder() / "s");
  const fs::path of_shard = first_point(shell.folder() / "m.shards/1-of-1");
  struct Case {
    std::string command;
    std::string call;
    fs::path path;
  };
  const fs::path curves = point / "figures/decay_bound.json";
  const std::vector<Case> cases{
      {"plot s figure=decay_bound -q --force --format svg --out p", "read", curves},
      {"plot s figure=decay_bound -q --force --format svg --out p", "openat",
       point / "manifest.json"},
      {"status s", "read", curves},
      {"status s", "newfstatat", point / "manifest.json"},
      {"report s -q --out r.html", "read", curves},
      {"report s -q --out r.html", "newfstatat", point},
      {"compare s s", "read", curves},
      {"redraw s -q --out d", "read", curves},
      {"merge m -q", "read", of_shard / "figures/decay_bound.json"}};
  for (const Case& one : cases) {
    fs::remove_all(shell.folder() / "d");
    const Outcome outcome = failing(shell, one.call, one.path, absolute(shell, one.command));
    INFO(one.command << ", " << one.call << " of " << one.path << "\n"
                     << outcome.out << outcome.err);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.out + outcome.err, Contains("Input/output error") && Contains("dim=4"));
  }
}

TEST_CASE("EIO at a sweep's own files is not taken for another kind of folder") {
  SKIP_WHERE_READS_CANNOT_FAIL();
  const Shell shell;
  REQUIRE(shell.run("sweep spectrum dim=4,6 --format svg -q --out s").status == 0);
  REQUIRE(shell.run("run spectrum dim=4 --format svg -q --out r").status == 0);
  const fs::path plan = shell.folder() / "s/plan.json",
                 manifest = shell.folder() / "r/manifest.json";
  for (const std::string command : {"plot s", "status s", "export s", "report s", "compare s s",
                                    "redraw s", "note s", "resume s"}) {
    const Outcome outcome = failing(shell, "newfstatat", plan, absolute(shell, command));
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 4);
    CHECK_THAT(outcome.err, Contains("s/plan.json: cannot be read (Input/output error)"));
  }
  for (const std::string command : {"note r", "report r", "compare r r", "redraw r"}) {
    const Outcome outcome = failing(shell, "newfstatat", manifest, absolute(shell, command));
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 4);
    CHECK_THAT(outcome.err, Contains("manifest.json: cannot be read (Input/output error)"));
  }
  fs::create_directories(shell.folder() / "m.shards");
  const Outcome merged = failing(shell, "getdents64", shell.folder() / "m.shards", "merge m");
  CHECK(merged.status == 4);
  CHECK_THAT(merged.err, Contains("m.shards: cannot be read (Input/output error)"));
}

TEST_CASE("An interrupted look at a file is taken again") {
  SKIP_WHERE_READS_CANNOT_FAIL();
  const Shell shell;
  REQUIRE(shell.run("sweep spectrum dim=4,6 --format svg -q --out s").status == 0);
  REQUIRE(shell.run("report s -q --out undisturbed.html").status == 0);
  const fs::path point = first_point(shell.folder() / "s");
  for (const fs::path& path : {shell.folder() / "s/plan.json", point, point / "manifest.json"}) {
    const Outcome outcome =
        failing(shell, "newfstatat", path, "report s -q --out r.html", "EINTR", "1");
    INFO(path << "\n" << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(content(shell.folder() / "r.html") == content(shell.folder() / "undisturbed.html"));
  }
}

TEST_CASE("A sweep says why a point that it wrote cannot be read back, with --quiet too") {
  SKIP_WHERE_READS_CANNOT_FAIL();
  const Shell shell;
  const std::string sweep = "sweep spectrum dim=4,6 --format svg --threads 1 -q --out s";
  REQUIRE(shell.run(sweep).status == 0);
  const fs::path result = first_point(shell.folder() / "s") / "result.json";
  fs::remove_all(shell.folder() / "s");
  // strace knows the path as it is opened: the second reading is that of the finished point.
  const Outcome outcome = failing(shell, "read", result, sweep);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("dim=4") && Contains("Input/output error") &&
                              Contains("orrery resume computes it again"));
  CHECK(shell.run("resume s -q").status == 0);
}
