// note, as people call them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/shell.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("note: what is said of a result is shown, and changes no number") {
  const Shell shell;
  REQUIRE(shell.run("run rotation --format none --out r").status == 0);
  const std::string numbers = content(shell.folder() / "r/result.json");
  const std::string manifest = content(shell.folder() / "r/manifest.json");
  CHECK(shell.run("note r --tags").out.empty());
  CHECK_THAT(shell.run("note r --tag paper 'figure 3'").err, Contains("tags  paper, figure 3"));
  REQUIRE(shell.run("note r looks right").status == 0);
  REQUIRE(shell.run("note r 'but <b>see</b> below'").status == 0);
  CHECK(shell.run("note r --tags").out == "paper\nfigure 3\n");
  CHECK(shell.run("note r").out == "looks right\nbut <b>see</b> below\n");
  REQUIRE(shell.run("report r").status == 0);
  CHECK_THAT(content(shell.folder() / "r-report.html"),
             Contains("Tags: paper, figure 3.") && Contains("Note: looks right") &&
                 Contains("but &lt;b&gt;see&lt;/b&gt; below"));
  CHECK(content(shell.folder() / "r/result.json") == numbers);
  CHECK(content(shell.folder() / "r/manifest.json") == manifest);
  CHECK(shell.run("run rotation --format none --out r").status == 0);
  CHECK(shell.run("note r --untag paper").status == 0);
  CHECK(shell.run("note r --replace anew").status == 0);
  CHECK(shell.run("note r").out == "anew\n");
  CHECK(shell.run("note r --remove").status == 0);
  CHECK(shell.run("note r --untag 'figure 3'").status == 0);
  CHECK(!fs::exists(shell.folder() / "r/notes.json"));
}

TEST_CASE("Tags that are given at the same time are all kept") {
  const Shell shell;
  REQUIRE(shell.run("run rotation --format none --out r").status == 0);
  std::string all;
  for (int i = 0; i < 16; ++i)
    all += "'" + std::string(cli_program()) + "' note r --tag t" + std::to_string(i) +
           " 2>/dev/null & ";
  REQUIRE(std::system(("cd '" + shell.folder().string() + "' && { " + all + "wait; }").c_str()) ==
          0);
  const std::string tags = shell.run("note r --tags").out;
  CHECK(std::count(tags.begin(), tags.end(), '\n') == 16);
  CHECK(shell.run("run rotation --format none --force --out r").status == 0);  // no file is foreign
}

TEST_CASE("The tags and the note of a sweep are in its status and its report") {
  const Shell shell;
  REQUIRE(shell.run("sweep rotation dim=4,8 --format none --quiet --out s").status == 0);
  REQUIRE(shell.run("note s --tag baseline").status == 0);
  REQUIRE(shell.run("note s kept for the paper").status == 0);
  CHECK_THAT(shell.run("status s").out, Contains("tags  baseline\nnote  kept for the paper\n"));
  const auto json = nlohmann::json::parse(shell.run("status s --json").out);
  CHECK(json.at("tags") == nlohmann::json{"baseline"});
  CHECK(json.at("note") == "kept for the paper");
  CHECK(shell.run("resume s").status == 0);
  CHECK(shell.run("sweep rotation dim=4,8,16 --format none --quiet --out s").status == 0);
  CHECK(shell.run("note s --tags").out == "baseline\n");
  REQUIRE(shell.run("report s").status == 0);
  CHECK_THAT(content(shell.folder() / "s-report.md"), Contains("Tags: baseline."));
  shell.write("s/notes.json", "{");
  const Outcome damaged = shell.run("report s");
  CHECK(damaged.status == 1);
  CHECK_THAT(damaged.err, Contains("notes.json: is damaged"));
  const Outcome status = shell.run("status s");
  CHECK(status.status == 0);
  CHECK_THAT(status.err, Contains("notes.json: is damaged"));
  CHECK(shell.run("note s --tag other").status == 3);
  CHECK(content(shell.folder() / "s/notes.json") == "{");
}

TEST_CASE("note refuses other folders and words that do not go together") {
  const Shell shell;
  fs::create_directory(shell.folder() / "d");
  CHECK(shell.run("note d --tag a").status == 3);
  CHECK(shell.run("note nowhere a").status == 4);
  REQUIRE(shell.run("run rotation --format none --out r").status == 0);
  for (const char* words : {"note r --tag a,b", "note r --untag", "note r --untag a",
                            "note r --replace", "note r --remove a", "note r ''"}) {
    INFO(words);
    CHECK(shell.run(words).status == 2);
  }
  CHECK(!fs::exists(shell.folder() / "r/notes.json"));
}

TEST_CASE("Merging keeps the tags and the notes of the shards") {
  const Shell shell;
  const std::string sweep = "sweep rotation dim=4,8,16 --format none --quiet --out s ";
  for (const std::string shard : {"1/3", "2/3", "3/3"})
    REQUIRE(shell.run(sweep + "--shard " + shard).status == 0);
  REQUIRE(shell.run("note s.shards/1-of-3 --tag node-a paper").status == 0);
  REQUIRE(shell.run("note s.shards/2-of-3 --tag paper node-b").status == 0);
  REQUIRE(shell.run("note s.shards/2-of-3 slow disk").status == 0);
  shell.write("s.shards/3-of-3/notes.json", "{");
  const Outcome merged = shell.run("merge s");
  CHECK(merged.status == 0);
  CHECK_THAT(merged.err, Contains("s.shards/3-of-3/notes.json: is damaged"));
  REQUIRE(shell.run("note s --tag mine").status == 0);
  CHECK(shell.run("merge s").status == 0);
  CHECK(shell.run("note s --tags").out == "node-a\npaper\nnode-b\nmine\n");
  CHECK(shell.run("note s").out == "slow disk\n");
}
