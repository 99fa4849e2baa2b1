// What the commands that read a sweep say of points that are damaged, lost or not computed.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/cli/shell.h"
#include "tests/support/sweep_tree.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// Three points with six figures of curves each; the first in the plan's order is dim=4.
void make_sweep(const Shell& shell) {
  REQUIRE(shell.run("sweep long_term_decay dim=4,8,16 max_distance=6 --format svg --quiet --out s")
              .status == 0);
}

std::string id_of(const Shell& shell, const std::string& label) {
  return point_id(shell.folder() / "s", label);
}

fs::path point(const Shell& shell, const std::string& label) {
  return shell.folder() / "s/points" / id_of(shell, label);
}

void damage(const fs::path& file) {
  REQUIRE(fs::exists(file));
  std::ofstream(file, std::ios::app) << ' ';
}

std::size_t pictures_in(const fs::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".svg") ++count;
  return count;
}

}  // namespace

TEST_CASE("plot draws what can be read, and names each damaged point, its file and what lacks it") {
  const Shell shell;
  make_sweep(shell);
  REQUIRE(shell.run("plot s --format svg --out before").status == 0);
  const std::string lost = id_of(shell, "dim=4"), cut = id_of(shell, "dim=8");
  fs::remove_all(point(shell, "dim=4"));
  damage(point(shell, "dim=8") / "figures/B.json");
  for (const std::string quiet : {"", "--quiet "}) {
    const Outcome outcome = shell.run("plot s --format svg --force --out after " + quiet);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.err,
               Contains("point dim=4 (" + lost + ") is damaged: manifest.json is missing") &&
                   Contains("point dim=8 (" + cut + ") is damaged: figures/B.json is longer") &&
                   Contains("point dim=4 (" + lost +
                            "): left out of 6 figures (9 curves): decay_scores, decay_bound") &&
                   Contains("point dim=8 (" + cut + "): left out of 1 figure (1 curve): B"));
  }
  CHECK(pictures_in(shell.folder() / "after") == pictures_in(shell.folder() / "before"));
  const Outcome one = shell.run("plot s figure=decay_bound --format svg --out one");
  CHECK(one.status == 1);
  const std::string svg = content(shell.folder() / "one/decay_bound.svg");
  CHECK_THAT(svg, Contains("1 of 3 points is damaged and left out: dim=4"));
  const Outcome other = shell.run("plot s figure=decay_bound dim=16 --format svg --out other");
  CHECK(other.status == 1);  // the points are damaged, and this plot lacks none of them
  CHECK_THAT(other.err, !Contains("left out of"));
  CHECK_THAT(content(shell.folder() / "other/decay_bound_dim_16.svg"), !Contains("damaged"));
}

TEST_CASE("A figure that can be read of no point is refused by name, and the others are drawn") {
  const Shell shell;
  make_sweep(shell);
  for (const char* label : {"dim=4", "dim=8", "dim=16"})
    damage(point(shell, label) / "figures/B.json");
  const Outcome one = shell.run("plot s figure=B --out one");
  CHECK(one.status == 3);
  CHECK_THAT(one.err, Contains("figure=B: can be read of none of 3 points") &&
                          Contains("figures/B.json: is damaged"));
  const Outcome all = shell.run("plot s --format svg --out all");
  CHECK(all.status == 1);
  CHECK_THAT(all.err, Contains("figure=B: can be read of none of 3 points"));
  CHECK(fs::exists(shell.folder() / "all/decay_bound.svg"));
  CHECK_FALSE(fs::exists(shell.folder() / "all/B.svg"));
}

TEST_CASE("A damaged number is named by plot, status, report, compare and redraw, each with 1") {
  const Shell shell;
  make_sweep(shell);
  const std::string id = id_of(shell, "dim=8");
  damage(point(shell, "dim=8") / "result.json");
  const auto named = [&](const std::string& command, const std::string& reason) {
    INFO(command);
    const Outcome outcome = shell.run(command);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.out + outcome.err, Contains(id) && Contains(reason));
  };
  named("plot s figure=decay_bound --out p", "point dim=8 (" + id + ") is damaged: result.json");
  named("status s", "damaged " + id + " dim=8: result.json is longer than its manifest lists it");
  named("status s --json", "\"reason\": \"result.json is longer than its manifest lists it\"");
  named("report s --out r.html", "point dim=8 (" + id + "): ");
  named("compare s s", "A: point dim=8 (" + id + "): s/points/" + id + "/result.json: is damaged");
  named("redraw s --out d", "point dim=8 (" + id + ") is not drawn: ");
  CHECK(fs::exists(shell.folder() / "d" / id_of(shell, "dim=4") / "decay_bound.svg"));
  const Outcome compared = shell.run("compare s s");
  CHECK_THAT(compared.out, Contains("All numbers that can be compared are the same."));
  CHECK(shell.run("resume s --quiet").status == 0);
  CHECK(shell.run("status s").status == 0);
  CHECK(shell.run("plot s --out whole").status == 0);
}

TEST_CASE("merge names damaged and failed points of shards by label and ends with 1") {
  const Shell shell;
  const std::string sweep =
      "sweep attention_map contents=random text=bundled:the_orrery.txt max_tokens=4 dim=4 "
      "head=2 heads=2,4 --format svg --quiet --out s --shard ";
  CHECK(shell.run(sweep + "1/2").status == 1);  // there is no head 2 of 2
  REQUIRE(shell.run(sweep + "2/2").status == 0);
  const fs::path shard = shell.folder() / "s.shards/2-of-2/points";
  damage(fs::directory_iterator(shard)->path() / "result.json");
  const Outcome merged = shell.run("merge s --quiet");
  CHECK(merged.status == 1);
  CHECK_THAT(merged.err, Contains("heads=4: result.json is longer") && Contains("failed ") &&
                             Contains("heads=2: ") && Contains("is not complete"));
}

TEST_CASE("Points that failed or were not computed are named where a drawing lacks them") {
  const Shell shell;
  shell.run(
      "sweep attention_map contents=random text=bundled:the_orrery.txt max_tokens=4 dim=4 head=2 "
      "heads=2,4,8 --format svg --quiet --out s");  // there is no head 2 of 2
  const std::string id = id_of(shell, "heads=2");
  for (const char* command : {"plot s --format svg --out p", "report s --out r.html",
                              "redraw s --out d", "compare s s"}) {
    INFO(command);
    const Outcome outcome = shell.run(command);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.err, Contains("point heads=2 (" + id + ")"));
  }
}

TEST_CASE("With --quiet a failure still has its reason") {
  const Shell shell;
  const Outcome failed = shell.run(
      "sweep attention_map contents=random text=bundled:the_orrery.txt dim=4 head=2 heads=2,4 "
      "--format svg "
      "--quiet --out s");
  CHECK(failed.status == 1);
  CHECK(failed.out.empty());
  CHECK_THAT(failed.err, Contains("failed") && Contains("heads=2"));
}

TEST_CASE("plot of a sweep without a result yet says so, and how to come by one") {
  const Shell shell;
  make_sweep(shell);
  fs::remove(shell.folder() / "s/results.jsonl");
  const Outcome outcome = shell.run("plot s hue=dim --format svg --out drawn");
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err, Contains("s: has no point with a result: its sweep is at work, or was "
                                   "ended; wait for it, or compute what is left with orrery "
                                   "resume s"));
  CHECK(shell.run("resume s --quiet").status == 0);
  CHECK(shell.run("plot s hue=dim --format svg --quiet --out drawn").status == 0);
}
