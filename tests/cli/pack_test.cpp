// Sweeps without figures keep their points in one file, points.zip.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/shell.h"
#include "tests/support/sweep_tree.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const std::string sweep = "sweep long_term_decay dim=4,8,16 max_distance=6 --format none --quiet ";

std::string id_of(const Shell& shell, const std::string& label) {
  return point_id(shell.folder() / "s", label);
}

/// Changes one byte of a member's content, and no length.
void damage(const fs::path& pack, const std::string& member) {
  std::string bytes = content(pack);
  const std::size_t at = bytes.find(member);
  REQUIRE(at != std::string::npos);
  const std::size_t inside = bytes.find('"', at);
  bytes[inside + 1] = bytes[inside + 1] == 'x' ? 'y' : 'x';
  std::ofstream(pack, std::ios::binary) << bytes;
}

std::size_t number_at(const std::string& bytes, std::size_t at, int size) {
  std::size_t value = 0;
  for (int i = size; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

/// What `unzip` does with uncompressed members.
void unpack(const fs::path& pack, const fs::path& folder) {
  const std::string bytes = content(pack);
  for (std::size_t at = 0; bytes.compare(at, 4, "PK\3\4") == 0;) {
    const std::size_t size = number_at(bytes, at + 18, 4), name = number_at(bytes, at + 26, 2);
    const std::size_t begin = at + 30 + name + number_at(bytes, at + 28, 2);
    const fs::path file = folder / bytes.substr(at + 30, name);
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes.substr(begin, size);
    at = begin + size;
  }
}

}  // namespace

TEST_CASE("A sweep without figures has few files whatever its points, and all that folders have") {
  const Shell shell;
  REQUIRE(shell.run(sweep + "--out s").status == 0);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(shell.folder() / "s"))
    files += entry.is_regular_file() ? 1U : 0U;
  CHECK(files <= 20);
  CHECK(fs::exists(shell.folder() / "s/points.zip"));
  REQUIRE(shell.run("sweep long_term_decay dim=4,8,16 max_distance=6 --format svg --quiet --out f")
              .status == 0);
  const Outcome same = shell.run("compare s f");
  CHECK(same.status == 0);
  CHECK_THAT(same.out, Contains("All numbers are the same"));
  CHECK(content(shell.folder() / "s/results.csv") == content(shell.folder() / "f/results.csv"));
  CHECK(content(shell.folder() / "s/results.jsonl") == content(shell.folder() / "f/results.jsonl"));
  CHECK(content(shell.folder() / "s/measures.csv") == content(shell.folder() / "f/measures.csv"));
  // A point of the pack is named as a folder is.
  const std::string id = id_of(shell, "dim=8"), point = "s/points/" + id;
  unpack(shell.folder() / "s/points.zip", shell.folder() / "u");
  auto manifest = nlohmann::json::parse(content(shell.folder() / "u" / id / "manifest.json"));
  manifest.erase("files");
  CHECK(manifest.dump().size() < 1024);  // what every point has
  CHECK_THAT(content(shell.folder() / "s/manifest.json"), Contains("\"flags\":"));
  CHECK_THAT(shell.run("compare " + point + " f/points/" + id_of(shell, "dim=16")).out,
             !Contains("All numbers are the same"));
  REQUIRE(shell.run("run --from " + point + " --quiet --out again").status == 0);
  CHECK_THAT(shell.run("compare " + point + " again").out,
             Contains("beside the manifest are the same to the byte"));
  CHECK(shell.run("report " + point + " --quiet --out r.html").status == 0);
  CHECK(shell.run("redraw " + point + " --format svg --quiet --out d").status == 0);
  CHECK(fs::exists(shell.folder() / "d/decay_bound.svg"));
  CHECK(shell.run("plot s figure=decay_bound --format svg --quiet --out p").status == 0);
  CHECK(shell.run("note " + point + " look again").status == 0);
  CHECK_THAT(shell.run("note " + point).out, Contains("look again"));
}

TEST_CASE("One thread and many, shards and a whole sweep write the same pack") {
  const Shell shell;
  REQUIRE(shell.run(sweep + "--threads 1 --out s").status == 0);
  REQUIRE(shell.run(sweep + "--threads 3 --out t").status == 0);
  CHECK(sweep_tree(shell.folder() / "t") == sweep_tree(shell.folder() / "s"));
  REQUIRE(shell.run(sweep + "--out m --shard 2/2").status == 0);
  CHECK(shell.run("merge m --quiet").status == 1);
  REQUIRE(shell.run(sweep + "--out m --shard 1/2").status == 0);
  REQUIRE(shell.run("merge m --quiet").status == 0);
  CHECK(sweep_tree(shell.folder() / "m") == sweep_tree(shell.folder() / "s"));
  REQUIRE(shell.run("sweep long_term_decay dim=8 max_distance=6 --format none -q --out g").status ==
          0);
  REQUIRE(shell.run(sweep + "--out g").status == 0);
  CHECK(sweep_tree(shell.folder() / "g") == sweep_tree(shell.folder() / "s"));
}

TEST_CASE("A changed byte of a pack is found by its checksum, named, and computed again") {
  const Shell shell;
  REQUIRE(shell.run(sweep + "--out s").status == 0);
  const Tree whole = sweep_tree(shell.folder() / "s");
  const std::string id = id_of(shell, "dim=8");
  damage(shell.folder() / "s/points.zip", id + "/figures/B.json");
  const Outcome status = shell.run("status s");
  CHECK(status.status == 1);
  CHECK_THAT(status.out, Contains("damaged " + id + " dim=8: figures/B.json differs"));
  const Outcome plot = shell.run("plot s --format svg --out p");
  CHECK(plot.status == 1);
  CHECK_THAT(plot.err, Contains("point dim=8 (" + id + ") is damaged"));
  CHECK_THAT(shell.run("resume s").err, Contains("the point is computed again"));
  CHECK(sweep_tree(shell.folder() / "s") == whole);
  damage(shell.folder() / "s/points.zip", R"("commit":")");
  CHECK_THAT(shell.run("status s").out,
             Contains("manifest.json, or what points.zip has beside its files, differs"));
  CHECK(shell.run("resume s --quiet").status == 0);
  CHECK(sweep_tree(shell.folder() / "s") == whole);
  // The header of a group: what lies behind it is found.
  damage(shell.folder() / "s/points.zip", "PK");
  CHECK(shell.run("resume s --quiet").status == 0);
  CHECK(sweep_tree(shell.folder() / "s") == whole);
}

TEST_CASE("A pack proves its points when the journal or the plan is lost") {
  const Shell shell;
  REQUIRE(shell.run(sweep + "--out s").status == 0);
  const Tree whole = sweep_tree(shell.folder() / "s");
  fs::remove(shell.folder() / "s/journal.jsonl");
  CHECK_THAT(shell.run("resume s").err, Contains("3 of 3 points done (3 before)"));
  CHECK(sweep_tree(shell.folder() / "s") == whole);
  fs::remove(shell.folder() / "s/plan.json");
  const Outcome other = shell.run("sweep rotation distance=1 --format none --out s");
  CHECK(other.status == 4);
  CHECK_THAT(other.err, Contains("of points.zip"));
  CHECK_THAT(shell.run("sweep long_term_decay dim=4,8,16 max_distance=6 --format none --out s").err,
             Contains("3 of 3 points done (3 before)"));
  CHECK(sweep_tree(shell.folder() / "s") == whole);
  fs::remove(shell.folder() / "s/points.zip");
  CHECK(shell.run("status s").status == 1);
  CHECK(shell.run("resume s --quiet").status == 0);
  CHECK(sweep_tree(shell.folder() / "s") == whole);
}

TEST_CASE(
    "Points that an earlier version left in folders stay there, and new ones go to the pack") {
  const Shell shell;
  REQUIRE(shell.run(sweep + "--out s").status == 0);
  unpack(shell.folder() / "s/points.zip", shell.folder() / "s/points");
  fs::remove(shell.folder() / "s/points.zip");
  CHECK_THAT(shell.run("resume s").err, Contains("3 of 3 points done (3 before)"));
  REQUIRE(shell.run("sweep long_term_decay dim=4,8,16,32 max_distance=6 --format none -q --out s")
              .status == 0);
  CHECK_THAT(shell.run("status s").out, Contains("4 of 4 points done"));
  CHECK_THAT(content(shell.folder() / "s/results.csv"), Contains(id_of(shell, "dim=4")));
}
