// run --from: a result computed again from its manifest.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/shell.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

void edit(const Shell& shell, const std::string& name, const std::string& from,
          const std::string& to) {
  std::string text = content(shell.folder() / name);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  shell.write(name, text.replace(at, from.size(), to));
}

}  // namespace

TEST_CASE("run --from gives the bytes of a result again, with its figures as they were drawn") {
  const Shell shell;
  shell.write("text.txt", "An orrery is a small machine of brass.");
  const std::vector<std::string> results{
      "rotation",
      "rotation --format none",
      "long_term_decay dim=8 max_distance=40 --theme dark --format png,svg --formulas",
      "long_term_decay dim=8 max_distance=40 --figure B,decay_bound --format svg",
      "rotation --width 8cm --text-size 7 --no-title --format pdf,tex",
      "relative_invariance encoding=rope+alibi seed=5 --format svg",
      "attention_map --text text.txt contents=random encoding=rope --format svg"};
  for (const std::string& words : results) {
    INFO(words);
    REQUIRE(shell.run("run " + words + " --out r --force").status == 0);
    REQUIRE(shell.run("run --from r --out again --force").status == 0);
    const Outcome compared = shell.run("compare r again");
    CHECK(compared.status == 0);
    CHECK_THAT(compared.out, Contains(" files beside the manifest are the same to the byte."));
    // What was computed again can be, too.
    REQUIRE(shell.run("run --from again --out third --force").status == 0);
    CHECK_THAT(shell.run("compare r third").out, Contains("are the same to the byte."));
  }
}

TEST_CASE("run --from computes a point of a sweep again as the sweep drew it") {
  const Shell shell;
  REQUIRE(shell
              .run("sweep long_term_decay dim=4,8 max_distance=6 assumption=random --repeats 2 "
                   "--theme dark --figure decay_bound --format svg --out s")
              .status == 0);
  for (const auto& point : fs::directory_iterator(shell.folder() / "s/points")) {
    const std::string id = point.path().filename().string();
    CHECK(fs::exists(point.path() / "figures/decay_bound.svg"));
    CHECK_FALSE(fs::exists(point.path() / "figures/B.svg"));
    REQUIRE(shell.run("run --from s/points/" + id + " --out " + id).status == 0);
    CHECK_THAT(shell.run("compare s/points/" + id + " " + id).out,
               Contains("are the same to the byte."));
  }
  const Outcome whole = shell.run("run --from s");
  CHECK(whole.status == 2);
  CHECK_THAT(whole.err, Contains("s: is a sweep") && Contains("--from DIR/points/ID"));
}

TEST_CASE("--figure writes those figures alone, with the values and claims of the whole result") {
  const Shell shell;
  const std::string words = "run long_term_decay dim=8 max_distance=40 --format svg --out ";
  REQUIRE(shell.run(words + "all").status == 0);
  REQUIRE(shell.run(words + "one --figure decay_bound").status == 0);
  std::set<std::string> names;
  for (const auto& file : fs::directory_iterator(shell.folder() / "one/figures"))
    names.insert(file.path().filename().string());
  CHECK(names == std::set<std::string>{"decay_bound.csv", "decay_bound.json", "decay_bound.svg"});
  CHECK(content(shell.folder() / "one/figures/decay_bound.svg") ==
        content(shell.folder() / "all/figures/decay_bound.svg"));
  CHECK_FALSE(fs::exists(shell.folder() / "one/tables"));
  const Outcome compared = shell.run("compare all one");
  CHECK_THAT(compared.out, Contains("scalars are equal to the bit"));
  const Outcome unknown = shell.run(words + "none --figure decay_boun");
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("--figure decay_boun: is no figure of this result of "
                                   "long_term_decay; name one of decay_scores, "));
  CHECK_THAT(unknown.err, Contains("; none has all of it"));
  CHECK(fs::exists(shell.folder() / "none/figures/decay_bound.svg"));
  REQUIRE(shell.run(words + "several --figure decay").status == 0);
  CHECK(fs::exists(shell.folder() / "several/figures/decay_changes.svg"));
  CHECK_FALSE(fs::exists(shell.folder() / "several/figures/B.svg"));
  // A sweep of one figure is another sweep than that of all.
  const std::string sweep = "sweep long_term_decay dim=4,8 max_distance=6 --format none --out s";
  REQUIRE(shell.run(sweep + " --figure B").status == 0);
  CHECK_THAT(shell.run(sweep).err, Contains("--figure: B -> all"));
  CHECK_THAT(shell.run("plan long_term_decay dim=4,8 max_distance=6 --figure C").out,
             Contains("a sample failed: dim=4: --figure C: is no figure"));
  const Outcome stopped = shell.run(sweep + "2 --figure C");
  CHECK(stopped.status == 2);
  CHECK_THAT(stopped.err, Contains("--figure C: is no figure of this result of long_term_decay"));
}

TEST_CASE("run --from refuses what would not be the same result") {
  const Shell shell;
  shell.write("text.txt", "An orrery is a small machine of brass.");
  const std::string run =
      "run attention_map --text text.txt contents=random --format none --quiet --out r";
  REQUIRE(shell.run(run).status == 0);
  const auto refused = [&](const std::string& words, int status, const std::string& said) {
    const Outcome outcome = shell.run("run --from " + words);
    INFO(words << "\n" << outcome.err);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains(said));
    CHECK_FALSE(fs::exists(shell.folder() / "again"));
  };
  refused("r base=5 --out again", 2, "base=5: is not taken with --from");
  refused("r --base=5 --out again", 2, "--base=5: is not taken with --from");
  refused("r attention_map --out again", 2, "attention_map: is not taken with --from");
  refused("r --theme dark --out again", 2, "--from excludes --theme");
  refused("nowhere --out again", 4, "nowhere");
  shell.write("text.txt", "An orrery is a small machine of steel.");
  refused("r --out again", 3, "text=text.txt: has changed since r was computed; restore the file");
  fs::remove(shell.folder() / "text.txt");
  refused("r --out again", 4, "text=text.txt: cannot be read");
  edit(shell, "r/manifest.json", "\"name\": \"attention_map\",\n    \"version\": ",
       "\"name\": \"attention_map\",\n    \"version\": 9");
  refused("r --out again", 3, "r/manifest.json: is of version 9");
  edit(shell, "r/manifest.json", "\"name\": \"attention_map\"", "\"name\": \"a_map\"");
  refused("r --out again", 2, "is a result of a_map, which is not an experiment");
  fs::remove(shell.folder() / "r/manifest.json");
  refused("r --out again", 3, "r: contains no manifest.json");
}

TEST_CASE("compare names the files whose bytes differ where the numbers are the same") {
  const Shell shell;
  REQUIRE(shell.run("run rotation --format svg --quiet --out a").status == 0);
  REQUIRE(shell.run("run rotation --format svg --theme dark --quiet --out b").status == 0);
  const Outcome drawn = shell.run("compare a b");
  CHECK(drawn.status == 0);
  CHECK_THAT(drawn.out, Contains("All numbers are the same.\nFiles that are not the same to the "
                                 "byte: figures/"));
  const auto json = nlohmann::json::parse(shell.run("compare a b --json").out);
  CHECK(json.at("same_bytes") == false);
  CHECK_FALSE(json.at("differing_files").empty());
  CHECK(nlohmann::json::parse(shell.run("compare a a --json").out).at("same_bytes") == true);
}
