// Sweeps from the outside: same bytes in any way of running them, exit statuses, help that works.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/shell.h"
#include "tests/support/sweep_tree.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

const std::string random_sweep =
    "sweep long_term_decay assumption=random draws=2 dim=4,8,16 max_distance=6 distance=1 "
    "--repeats 2 --seed 3 --format svg,png --quiet ";

std::vector<nlohmann::json> lines_of(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("One or two threads, any locale and time zone, any folder: the same bytes") {
  const Shell shell;
  REQUIRE(shell.run(random_sweep + "--threads 1 --out a").status == 0);
  const Tree tree = sweep_tree(shell.folder() / "a");
  CHECK(tree.size() > 6 * 8);
  REQUIRE(shell.run(random_sweep + "--threads 2 --out b").status == 0);
  CHECK(sweep_tree(shell.folder() / "b") == tree);
  REQUIRE(shell
              .run_program("LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 TZ=Asia/Kathmandu",
                           random_sweep + "--threads 2 --out c")
              .status == 0);
  CHECK(sweep_tree(shell.folder() / "c") == tree);
}

TEST_CASE("Shards, merged, are the undivided sweep, in whatever order they ran") {
  const Shell shell;
  REQUIRE(shell.run(random_sweep + "--threads 1 --out whole").status == 0);
  REQUIRE(shell.run(random_sweep + "--shard 3/3 --out parts").status == 0);
  REQUIRE(shell.run(random_sweep + "--shard 1/3 --out parts").status == 0);
  const Outcome early = shell.run("merge parts");
  CHECK(early.status == 1);
  CHECK_THAT(early.err, Contains("some shards are missing"));
  REQUIRE(shell.run(random_sweep + "--shard 2/3 --out parts").status == 0);
  const Outcome merged = shell.run("merge parts");
  CHECK(merged.status == 0);
  CHECK_THAT(merged.err, Contains("merged 2 points of 6 into parts/, which has 6 now"));
  CHECK_THAT(shell.run("merge parts").err,
             Contains("merged 0 points of 6 into parts/, which has 6"));
  CHECK(sweep_tree(shell.folder() / "parts") == sweep_tree(shell.folder() / "whole"));
  CHECK(
      shell.run("merge other parts.shards/1-of-3 parts.shards/2-of-3 parts.shards/3-of-3").status ==
      0);
  CHECK(sweep_tree(shell.folder() / "other") == sweep_tree(shell.folder() / "whole"));
}

TEST_CASE("A shard stores the points that it computes, and the plan of all is stored once") {
  const Shell shell;
  const std::string sweep = "sweep rotation distance=1,2,3,4,5 --format none --quiet ";
  REQUIRE(shell.run(sweep + "--out whole").status == 0);
  REQUIRE(shell.run(sweep + "--shard 1/2 --out d").status == 0);
  REQUIRE(shell.run(sweep + "--shard 2/2 --out d").status == 0);
  const auto points_in = [&](const char* file) {
    return nlohmann::json::parse(content(shell.folder() / file))["points"].size();
  };
  CHECK(points_in("d.shards/1-of-2/plan.json") == 3);
  CHECK(points_in("d.shards/2-of-2/plan.json") == 2);
  CHECK(content(shell.folder() / "d.shards/whole_plan.json") ==
        content(shell.folder() / "whole/plan.json"));
  CHECK_THAT(shell.run("resume d.shards/2-of-2").err, Contains("2 of 2 points done (2 before)"));
  // Brought together from several machines, without whole_plan.json, shards still know their
  // places.
  fs::create_directory(shell.folder() / "e.shards");
  for (const char* shard : {"1-of-2", "2-of-2"})
    fs::rename(shell.folder() / "d.shards" / shard, shell.folder() / "e.shards" / shard);
  const Outcome one = shell.run("merge f e.shards/2-of-2");
  CHECK(one.status == 4);
  CHECK_THAT(one.err, Contains("is a shard of a sweep of 5 points") &&
                          Contains("whole_plan.json") && Contains("name the missing shards"));
  CHECK(shell.run("merge e").status == 0);
  CHECK(sweep_tree(shell.folder() / "e") == sweep_tree(shell.folder() / "whole"));
}

TEST_CASE("Shards of earlier versions, which have the points of all, go on and merge") {
  const Shell shell;
  const std::string sweep = "sweep rotation distance=1,2,3 --format none --quiet ";
  REQUIRE(shell.run(sweep + "--out whole").status == 0);
  for (const char* index : {"1", "2"}) {
    const std::string name = std::string(index) + "-of-2";
    const fs::path folder = shell.folder() / "d.shards" / name;
    fs::create_directories(folder);
    auto plan = nlohmann::ordered_json::parse(content(shell.folder() / "whole/plan.json"));
    plan.erase("sha256");
    plan["shard"] = {{"index", std::stoi(index)}, {"count", 2}};
    std::ofstream(folder / "plan.json") << plan.dump();
    CHECK(shell.run("resume d.shards/" + name).status == 0);
    // With the other shard still missing, the points of all are known.
    CHECK(shell.run("merge d").status == (name == "1-of-2" ? 1 : 0));
    CHECK_THAT(shell.run("status d").out,
               Contains(name == "1-of-2" ? "2 of 3 points done, 0 failed" : "3 of 3 points done"));
  }
  CHECK(sweep_tree(shell.folder() / "d") == sweep_tree(shell.folder() / "whole"));
  CHECK(shell.run(sweep + "--shard 1/2 --out d").status == 0);
}

TEST_CASE("A shard that was planned of the same request is not planned again") {
  const Shell shell;
  const std::string shard = " --format none --quiet --shard 1/2 --out d";
  REQUIRE(shell.run("sweep rotation distance=1,2,3" + shard).status == 0);
  const auto files = sweep_tree(shell.folder() / "d.shards/1-of-2");
  // A plan of all shards would be written there.
  const fs::path whole = shell.folder() / "d.shards/whole_plan.json";
  std::ofstream(whole) << "as it was";
  CHECK(shell.run("sweep rotation distance=1,2,3" + shard).status == 0);
  CHECK(content(whole) == "as it was");
  CHECK(sweep_tree(shell.folder() / "d.shards/1-of-2") == files);
  CHECK(shell.run("sweep rotation distance=1,2,4" + shard).status == 5);
  CHECK(sweep_tree(shell.folder() / "d.shards/1-of-2") == files);
}

TEST_CASE("status of a sweep whose shards are not merged tells of each, and of all") {
  const Shell shell;
  const std::string sweep = "sweep rotation distance=1,2,3 --format svg --quiet --out d --shard ";
  REQUIRE(shell.run(sweep + "1/2").status == 0);
  REQUIRE(shell.run(sweep + "2/2").status == 0);
  fs::remove_all(*fs::directory_iterator(shell.folder() / "d.shards/1-of-2/points"));
  const Outcome status = shell.run("status d");
  CHECK(status.status == 1);
  CHECK_THAT(status.out,
             Contains("d.shards/1-of-2") && Contains("1 of 2 points done, 0 failed, 1 left") &&
                 Contains("continue with: orrery resume d.shards/1-of-2") &&
                 Contains("2 shards, not merged: 2 of 3 points done; merge with: orrery merge d"));
  const auto json = nlohmann::json::parse(shell.run("status d --json").out);
  CHECK(json["points"] == 3);
  CHECK(json["done"] == 2);
  CHECK(json["shards"][0]["left"] == 1);
}

TEST_CASE("status of a merged sweep lists its shards, and what of them is not merged") {
  const Shell shell;
  const std::string sweep = "sweep rotation distance=1,2,3 --format none --quiet --out d --shard ";
  REQUIRE(shell.run(sweep + "1/2").status == 0);
  REQUIRE(shell.run("merge d").status == 1);
  REQUIRE(shell.run(sweep + "2/2").status == 0);
  const Outcome early = shell.run("status d");
  CHECK(early.status == 0);
  CHECK_THAT(early.out, Contains("2 of 3 points done") && Contains("d.shards/2-of-2\n") &&
                            Contains("1 points of the shards are not merged"));
  REQUIRE(shell.run("merge d").status == 0);
  CHECK(shell.run("status d").out.find("not merged") == std::string::npos);
  const auto json = nlohmann::json::parse(shell.run("status d --json").out);
  CHECK(json["done"] == 3);
  REQUIRE(json["shards"].size() == 2);
  CHECK(json["shards"][1]["folder"] == "d.shards/2-of-2");
}

TEST_CASE("status --watch counts the points of folder and shards once, until each has an outcome") {
  const Shell shell;
  const std::string sweep = "sweep rotation distance=1,2,3 --format none --quiet --out d --shard ";
  REQUIRE(shell.run(sweep + "1/2").status == 0);
  const Outcome stopped =
      shell.run_program(signalled("INT", "test -s out.txt"), "status --watch d");
  CHECK(stopped.status == 130);
  CHECK(stopped.out == "2 of 3 points done, 0 failed, 1 left; 1 of 1 shards complete\n");
  // The other shard begins once the watch has printed what there was.
  const Outcome ended = shell.run(
      "status --watch d", "| while read -r line; do echo \"$line\"; test -e d.shards/2-of-2 || '" +
                              cli_program() + "' " + sweep + "2/2; done >out.txt");
  CHECK(ended.err.empty());
  CHECK_THAT(ended.out, StartsWith(stopped.out) &&
                            Contains("\n3 of 3 points done, 0 failed, 0 left; 2 of 2 shards "
                                     "complete\n"));
  REQUIRE(shell.run("merge d").status == 0);
  const Outcome merged = shell.run("status --watch d");
  CHECK(merged.status == 0);
  CHECK(merged.out == "3 of 3 points done, 0 failed, 0 left; 2 of 2 shards complete\n");
  CHECK(shell.run("status --watch --json d").status == 2);
  CHECK(shell.run("status --watch nowhere").status == 4);
}

TEST_CASE("status --watch ends with 1 where points failed, and says why") {
  const Shell shell;
  REQUIRE(shell
              .run("sweep attention_map contents=random text=bundled:the_orrery.txt dim=4 head=2 "
                   "heads=2,4 --format none --quiet --out d")
              .status == 1);
  const Outcome outcome = shell.run("status --watch d");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out,
             StartsWith("1 of 2 points done, 1 failed, 0 left\n  failed ") && Contains("head=2"));
}

TEST_CASE("sweep --json prints each point when it is done, in the order of results.jsonl") {
  const Shell shell;
  const std::string sweep =
      "sweep long_term_decay 'max_distance=range(20000,20008)' --format none --threads 2 "
      "--json --out d";
  // results.jsonl is written when the sweep ends.
  const Outcome outcome = shell.run(
      sweep,
      "| while read -r line; do ls d/results.jsonl >>seen.txt 2>&1; echo \"$line\"; done >out.txt");
  CHECK(outcome.out == content(shell.folder() / "d/results.jsonl"));
  CHECK_THAT(content(shell.folder() / "seen.txt"), StartsWith("ls: "));
  CHECK(shell.run(sweep).out == outcome.out);  // with every point done before
  CHECK(shell.run(sweep + " --quiet", "| head -c 1 >/dev/null").err.empty());
}

TEST_CASE("Shards of different sweeps do not merge") {
  const Shell shell;
  const std::string sweep =
      "sweep long_term_decay max_distance=6 distance=1 --format none --quiet ";
  REQUIRE(shell.run(sweep + "dim=4,8 --shard 1/2 --out a").status == 0);
  REQUIRE(shell.run(sweep + "dim=4,6 --shard 2/2 --out b").status == 0);
  const Outcome outcome = shell.run("merge c a.shards/1-of-2 b.shards/2-of-2");
  CHECK(outcome.status == 5);
  CHECK_THAT(outcome.err, Contains("+ point") && Contains("dim=6"));
  CHECK_THAT(shell.run("merge nothing").err, Contains("contains no shard"));
  // The same is noticed before anything is computed beside a shard of another sweep.
  const Outcome beside = shell.run(sweep + "dim=4,6 --shard 2/2 --out a");
  CHECK(beside.status == 5);
  CHECK_THAT(beside.err, Contains("whole_plan.json") && Contains("+ point") && Contains("dim=6"));
}

TEST_CASE("A sweep that was begun goes on, does nothing twice, and refuses another plan") {
  const Shell shell;
  const std::string sweep =
      "sweep long_term_decay max_distance=6 distance=1 --format svg --out d dim=";
  REQUIRE(shell.run(sweep + "4,8").status == 0);
  const std::string manifest = content(shell.folder() / "d/manifest.json");
  const Outcome again = shell.run(sweep + "4,8");
  CHECK(again.status == 0);
  CHECK_THAT(again.err, Contains("2 of 2 points done (2 before)"));
  CHECK(content(shell.folder() / "d/manifest.json") == manifest);
  const Outcome other = shell.run(sweep + "4,16");
  CHECK(other.status == 5);
  CHECK_THAT(other.err, Contains("has a different plan") && Contains("- point") &&
                            Contains("+ point") && Contains("dim=16") && Contains("--out"));
  CHECK(shell.run("plan long_term_decay max_distance=6 distance=1 dim=4,16 --format svg --out d")
            .status == 5);
  // A point whose folder was damaged is computed again.
  const Tree tree = sweep_tree(shell.folder() / "d");
  for (const fs::directory_entry& point : fs::directory_iterator(shell.folder() / "d/points"))
    fs::remove(point.path() / "result.json");
  CHECK(shell.run("resume d").status == 0);
  CHECK(sweep_tree(shell.folder() / "d") == tree);
}

TEST_CASE("A sweep with more values keeps what is there and becomes the sweep with all of them") {
  const Shell shell;
  const std::string sweep =
      "sweep long_term_decay assumption=random draws=2 max_distance=6 distance=1 --seed 3 "
      "--format svg ";
  REQUIRE(shell.run(sweep + "dim=4,16 --repeats 2 --out d").status == 0);
  const fs::path point = *fs::directory_iterator(shell.folder() / "d/points");
  const auto written = fs::last_write_time(point);
  const std::string wider = sweep + "dim=4,8,16 --repeats 3 ";
  CHECK_THAT(shell.run("plan" + wider.substr(5) + "--no-sample --out d").out,
             Contains("9 points (3 repeats), 4 done, 0 failed, 5 left"));
  const Outcome outcome = shell.run(wider + "--out d");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("9 of 9 points done (4 before)"));
  CHECK(fs::last_write_time(point) == written);
  REQUIRE(shell.run(wider + "--out whole").status == 0);
  CHECK(sweep_tree(shell.folder() / "d") == sweep_tree(shell.folder() / "whole"));
  const Outcome narrower = shell.run(sweep + "dim=4,16 --repeats 2 --out d");
  CHECK(narrower.status == 5);
  CHECK_THAT(narrower.err, Contains("- point") && Contains("or request its points and more"));
  CHECK(shell.run(wider + "--theme dark --out d").status == 5);
}

TEST_CASE("A shard is not extended, as more points are parted differently") {
  const Shell shell;
  const std::string sweep = "sweep rotation --format none --shard 1/2 --out d distance=";
  REQUIRE(shell.run(sweep + "1,2").status == 0);
  CHECK(shell.run(sweep + "1,2,3").status == 5);
}

TEST_CASE("Sweeps of one experiment have default folders of their own") {
  const Shell shell;
  const std::string sweep = "sweep rotation --format none --quiet distance=";
  for (const char* distances : {"1,2", "1,3", "1,2"})
    CHECK(shell.run(sweep + distances).status == 0);
  CHECK(std::distance(fs::directory_iterator(shell.folder() / "orrery-results"),
                      fs::directory_iterator()) == 2);
}

TEST_CASE("Formulas on figures are part of the plan: a sweep goes on with them, or is another") {
  const Shell shell;
  const std::string sweep =
      "sweep long_term_decay max_distance=6 distance=1 dim=4,8 --format svg --quiet --out d ";
  REQUIRE(shell.run(sweep + "--formulas").status == 0);
  CHECK(nlohmann::json::parse(content(shell.folder() / "d/plan.json"))["figures"]["formulas"] ==
        true);
  const Tree tree = sweep_tree(shell.folder() / "d");
  int figures = 0;
  for (const auto& [path, bytes] : tree) {
    if (!path.ends_with(".svg")) continue;
    ++figures;
    CHECK_THAT(bytes, Contains(">∑</text>"));
  }
  CHECK(figures > 2);
  for (const fs::directory_entry& point : fs::directory_iterator(shell.folder() / "d/points"))
    fs::remove_all(point.path());
  CHECK(shell.run("resume d").status == 0);
  CHECK(sweep_tree(shell.folder() / "d") == tree);
  const Outcome other = shell.run(sweep);
  CHECK(other.status == 5);
  CHECK_THAT(other.err, Contains("formulas: shown -> none"));
  CHECK_THAT(shell.run("plan long_term_decay dim=4,8 --formulas --emit parallel --shards 2").out,
             Contains("sweep=(long_term_decay dim=4,8 --formulas)\n"));
}

TEST_CASE("A changed byte of a point is found by its checksum, named, and computed again") {
  const Shell shell;
  const std::string sweep = "sweep long_term_decay dim=4,8 max_distance=6 --format svg --quiet ";
  REQUIRE(shell.run(sweep + "--out d").status == 0);
  const Tree tree = sweep_tree(shell.folder() / "d");
  const fs::path point = fs::directory_iterator(shell.folder() / "d/points")->path();
  for (const char* name : {"result.json", "tables/decay.csv", "figures/decay_bound.svg"}) {
    INFO(name);
    std::string bytes = content(point / name);
    char& digit = bytes[bytes.find_last_of("0123456789")];
    digit = digit == '9' ? '8' : '9';
    std::ofstream(point / name, std::ios::binary) << bytes;
    const std::string damage = std::string(name) + " differs from its SHA-256";
    CHECK_THAT(shell.run("status d").out,
               Contains("1 of 2 points done") && Contains("damaged") && Contains(damage));
    const Outcome resumed = shell.run("resume d");
    CHECK(resumed.status == 0);
    CHECK_THAT(resumed.err, Contains(damage + "; the point is computed again") &&
                                Contains("2 of 2 points done (1 before)"));
    CHECK(sweep_tree(shell.folder() / "d") == tree);
  }
}

TEST_CASE("A journal that is lost is made again from the points, which are not computed again") {
  const Shell shell;
  const std::string sweep = "sweep long_term_decay dim=4,8,16 max_distance=6 --format svg --quiet ";
  REQUIRE(shell.run(sweep + "--out d").status == 0);
  const Tree tree = sweep_tree(shell.folder() / "d");
  fs::remove(shell.folder() / "d/journal.jsonl");
  CHECK_THAT(shell.run("resume d").err, Contains("3 of 3 points done (3 before)"));
  CHECK(sweep_tree(shell.folder() / "d") == tree);
  // What is not whole proves nothing, and neither does a folder under another point's name.
  fs::remove(shell.folder() / "d/journal.jsonl");
  std::vector<fs::path> points;
  for (const auto& entry : fs::directory_iterator(shell.folder() / "d/points"))
    points.push_back(entry.path());
  shell.write(points[0].lexically_relative(shell.folder()).string() + "/result.json", "{");
  fs::rename(points[1], shell.folder() / "kept");
  fs::rename(points[2], points[1]);
  fs::rename(shell.folder() / "kept", points[2]);
  CHECK_THAT(shell.run("resume d").err, Contains("3 of 3 points done in"));
  CHECK(sweep_tree(shell.folder() / "d") == tree);
}

TEST_CASE("A changed plan is refused, and the same sweep writes a lost one anew") {
  const Shell shell;
  const std::string sweep = "sweep long_term_decay dim=4,8 max_distance=6 --format svg --out d ";
  REQUIRE(shell.run(sweep).status == 0);
  const Tree tree = sweep_tree(shell.folder() / "d");
  std::string plan = content(shell.folder() / "d/plan.json");
  plan.replace(plan.find("\"combinations\": 2"), 17, "\"combinations\": 3");
  shell.write("d/plan.json", plan);
  for (const char* command : {"resume d", "status d", "report d", "compare d d"}) {
    const Outcome changed = shell.run(command);
    INFO(command);
    CHECK(changed.status == 3);
    CHECK_THAT(changed.err, Contains("differs from its SHA-256") &&
                                Contains("delete it and run the same orrery sweep again"));
  }
  fs::remove(shell.folder() / "d/plan.json");
  const Outcome lost = shell.run("resume d");
  CHECK(lost.status == 4);
  CHECK_THAT(lost.err, Contains("has points but no plan.json any more"));
  CHECK_THAT(shell.run("sweep long_term_decay dim=4 max_distance=6 --format svg --out d").err,
             Contains("contains points/"));
  CHECK_THAT(shell.run(sweep + "--theme dark").err, Contains("has a different plan:"));
  CHECK_THAT(shell.run(sweep).err, Contains("2 of 2 points done (2 before)"));
  CHECK(sweep_tree(shell.folder() / "d") == tree);
}

TEST_CASE("A damaged point of a shard is not merged") {
  const Shell shell;
  const std::string sweep = "sweep long_term_decay dim=4,8 max_distance=6 --format svg --quiet ";
  REQUIRE(shell.run(sweep + "--out d --shard 1/2").status == 0);
  REQUIRE(shell.run(sweep + "--out d --shard 2/2").status == 0);
  const fs::path shard = shell.folder() / "d.shards/1-of-2";
  const fs::path result = fs::directory_iterator(shard / "points")->path() / "result.json";
  std::string bytes = content(result);
  bytes[bytes.find(".5")] = '6';
  std::ofstream(result, std::ios::binary) << bytes;
  const Outcome merged = shell.run("merge d");
  CHECK(merged.status == 1);
  CHECK_THAT(merged.err, Contains("result.json differs from its SHA-256") &&
                             Contains("merged 1 points of 2") &&
                             Contains("is not complete: orrery resume d.shards/1-of-2"));
  CHECK(shell.run("resume d.shards/1-of-2").status == 0);
  CHECK(shell.run("merge d").status == 0);
}

TEST_CASE("A folder that another run writes to is refused with status 6") {
  const Shell shell;
  REQUIRE(shell.run("sweep long_term_decay dim=4 max_distance=6 --format none --out d").status ==
          0);
  const Outcome locked = shell.run_program("flock d/.lock", "resume d");
  CHECK(locked.status == 6);
  CHECK_THAT(locked.err, Contains("is being written by"));
  CHECK(nlohmann::json::parse(
            shell.run_program("flock d/.lock", "status d --json").out)["running"] == true);
}

TEST_CASE("merge leaves out a shard that is being written, with status 6, and merges the others") {
  const Shell shell;
  const std::string sweep = "sweep rotation distance=1,2,3 --format none --quiet --out ";
  REQUIRE(shell.run(sweep + "whole").status == 0);
  REQUIRE(shell.run(sweep + "d --shard 1/2").status == 0);
  REQUIRE(shell.run(sweep + "d --shard 2/2").status == 0);
  const Outcome early = shell.run_program("flock d.shards/1-of-2/.lock", "merge d");
  CHECK(early.status == 6);
  CHECK(
      early.err ==
      "merged 1 points of 3 into d/, which has 1 now\nd.shards/1-of-2 is being written by another "
      "process: merge again when that has finished\n");
  CHECK(shell.run("merge d").status == 0);
  CHECK(sweep_tree(shell.folder() / "d") == sweep_tree(shell.folder() / "whole"));
}

TEST_CASE("A point that fails is recorded with its words, and the others go on") {
  const Shell shell;
  const std::string sweep =
      "sweep attention_map contents=random text=bundled:the_orrery.txt dim=4 head=2 heads=2,4,8 "
      "--format none ";
  const Outcome outcome = shell.run(sweep + "--threads 1 --out d");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.err, Contains("heads=2: head=2") && Contains("2 of 3 points done, 1 failed"));
  const auto lines = lines_of(content(shell.folder() / "d/results.jsonl"));
  CHECK(lines[0]["status"] == "failed");
  CHECK_THAT(lines[0]["error"].get<std::string>(), Contains("head=2"));
  CHECK(lines[2]["status"] == "done");
  CHECK(shell.run("status d").status == 1);
  const Outcome again = shell.run("resume d");
  CHECK(again.status == 1);
  CHECK_THAT(again.err, Contains("(2 before)"));
  const Outcome fast = shell.run(sweep + "--threads 1 --fail-fast --out e");
  CHECK(fast.status == 1);
  CHECK_THAT(fast.err, Contains("0 of 3 points done, 1 failed"));
}

TEST_CASE("An input that changed makes another plan") {
  const Shell shell;
  shell.write("note.txt", "the sun and the moon and the sun");
  REQUIRE(shell
              .run("sweep attention_map contents=random text=note.txt dim=4 --format none --out d "
                   "encoding=none,rope")
              .status == 0);
  shell.write("note.txt", "the moon and the sun and the moon");
  const Outcome changed = shell.run("resume d");
  CHECK(changed.status == 5);
  CHECK_THAT(changed.err, Contains("the content of text=note.txt has changed"));
}

TEST_CASE("results.jsonl and results.csv say what every point found") {
  const Shell shell;
  const Outcome outcome = shell.run(
      "sweep long_term_decay dim=4,8 base=100,1000 max_distance=6 --format none --out d --json");
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out == content(shell.folder() / "d/results.jsonl"));
  const auto lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 4);
  CHECK(lines[1]["label"] == "dim=4 base=1000");
  CHECK(lines[1]["params"]["base"] == 1000);
  CHECK(lines[1]["params"]["encoding"] == "rope");
  CHECK(lines[1]["scalars"]["rope_mean_abs_S_at_0"] == 1.5);  // (1 + 2)/2
  CHECK(lines[3]["checks"]["rope_bound_holds"]["holds"] == true);
  const std::string csv = content(shell.folder() / "d/results.csv");
  CHECK_THAT(csv, Contains("id,status,repeat,seed,dim,base,encoding,mean_abs_S_at_0,") &&
                      Contains(",0,4,1000,rope,1.5,"));
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) == 5);
}

TEST_CASE("What is RoPE's alone stands in no other encoding's row, and each has a row of its own") {
  const Shell shell;
  REQUIRE(shell
              .run("sweep long_term_decay encoding=alibi,rope+alibi dim=4 base=10,100 "
                   "max_distance=6 --format none --out d --quiet")
              .status == 0);
  // ALiBi alone does not read the base: one point; with RoPE two, of two rows each.
  std::istringstream rows(content(shell.folder() / "d/results.csv"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(rows, line);) lines.push_back(line);
  REQUIRE(lines.size() == 6);
  for (const std::string& line : lines) {
    if (line.find(",alibi,") == std::string::npos) continue;
    CHECK_THAT(line,
               Contains(",alibi,-3,2,nan,nan,") && Catch::Matchers::EndsWith("nan,\"\",\"\"\r"));
  }
  CHECK_THAT(lines[2], Contains(",10,rope,-1.36") && Contains(",1.5,"));
  CHECK_THAT(content(shell.folder() / "d/constants.csv"),
             Contains("dim,4") && Contains("max_distance,6"));
  CHECK(!fs::exists(shell.folder() / "d/summary.csv"));
}

TEST_CASE("All points of a repeat have one seed, that of run; unpaired ones have their own") {
  const Shell shell;
  const std::string sweep =
      "sweep long_term_decay assumption=random draws=1 dim=4,8 max_distance=6 --repeats 2 "
      "--format none --json --quiet ";
  const auto seeds = [](const Outcome& outcome) {
    std::vector<std::int64_t> found;
    for (const nlohmann::json& line : lines_of(outcome.out)) found.push_back(line["seed"]);
    return found;
  };
  const auto paired = seeds(shell.run(sweep + "--out a"));
  REQUIRE(paired.size() == 4);
  CHECK(paired[0] == 0);
  CHECK(paired[2] == 0);
  CHECK(paired[1] == paired[3]);
  CHECK(paired[1] != 0);
  const auto own = seeds(shell.run(sweep + "--out b --unpaired"));
  CHECK(std::set<std::int64_t>(own.begin(), own.end()).size() == 4);
  CHECK_THAT(content(shell.folder() / "a/summary.csv"),
             StartsWith("dim,encoding,measure,n,mean,sd,ci95_low,ci95_high") &&
                 Contains("8,rope,change,2,"));
}

TEST_CASE("status tells how far a sweep is") {
  const Shell shell;
  REQUIRE(shell.run("sweep long_term_decay dim=4,8 max_distance=6 --format svg --out d").status ==
          0);
  CHECK_THAT(shell.run("status d").out, Contains("2 of 2 points done, 0 failed, 0 left"));
  fs::remove_all(*fs::directory_iterator(shell.folder() / "d/points"));
  CHECK_THAT(shell.run("status d").out, Contains("1 of 2 points done") && Contains("resume d"));
  CHECK(shell.run("status nowhere").status == 4);
  shell.write("d/plan.json", "{");
  CHECK(shell.run("status d").status == 3);
}

TEST_CASE("More shards than a Slurm array has tasks are computed by its tasks in turn") {
  const Shell shell;
  REQUIRE(shell
              .run("plan rotation 'distance=range(1,1003)' --format none --shards 1002 --out d "
                   "--no-sample --emit slurm",
                   ">job.sh")
              .status == 0);
  const std::string script = content(shell.folder() / "job.sh");
  CHECK_THAT(script, Contains("#SBATCH --array=1-1000\n") && Contains("of 1000 tasks"));
  const std::string task = "cd '" + shell.folder().string() + "' && ORRERY_ASSETS='" +
                           source_folder() +
                           "/assets' SLURM_ARRAY_TASK_ID=2 bash job.sh >out.txt 2>&1";
  CHECK(std::system(task.c_str()) == 0);
  CHECK(fs::exists(shell.folder() / "d.shards/2-of-1002/results.csv"));
  CHECK(fs::exists(shell.folder() / "d.shards/1002-of-1002/results.csv"));
  CHECK_FALSE(fs::exists(shell.folder() / "d.shards/1-of-1002"));
  // A cluster whose arrays are shorter is named before anything is submitted.
  fs::create_directories(shell.folder() / "bin");
  shell.write("bin/scontrol", "#!/bin/sh\necho 'MaxArraySize            = 11'\n");
  shell.write("bin/sbatch", "#!/bin/sh\necho 17 | tee -a submitted\n");
  for (const char* name : {"bin/scontrol", "bin/sbatch"})
    fs::permissions(shell.folder() / name, fs::perms::owner_all);
  const std::string submit =
      "cd '" + shell.folder().string() + "' && PATH=\"$PWD/bin:$PATH\" bash job.sh ";
  CHECK(std::system((submit + ">out.txt 2>&1").c_str()) != 0);
  CHECK_THAT(content(shell.folder() / "out.txt"),
             Contains("end at 10 (MaxArraySize)") && Contains("--shards 10 or fewer"));
  CHECK_FALSE(fs::exists(shell.folder() / "submitted"));
  CHECK(std::system((submit + "--array=1-10 >out.txt 2>&1").c_str()) == 0);
}

TEST_CASE("A folder that Snakemake would read as a pattern is refused") {
  const Shell shell;
  const Outcome outcome = shell.run("plan rotation --no-sample --emit snakemake --out 'a{1}'");
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.err, Contains("a{1}: has a brace") && Contains("--out"));
  CHECK(outcome.out.empty());
}

TEST_CASE("The job that merges is given more as there are more points") {
  const Shell shell;
  const auto merge_time = [&](const std::string& points) {
    const std::string script =
        shell.run("plan rotation distance=" + points + " --no-sample --out d --emit slurm").out;
    const std::size_t at = script.find("#SBATCH --time=");  // of shards there is none
    return at == std::string::npos ? 0 : std::stoi(script.substr(at + 15));
  };
  CHECK(merge_time("1,2") == 10);
  CHECK(merge_time("'range(1,100001)'") > 60);
}

TEST_CASE("A rank of MPI computes every n-th shard, by the variables of any launcher") {
  const Shell shell;
  REQUIRE(shell
              .run("plan rotation distance=1,2,3,4,5 --format none --shards 5 --out d --emit mpi",
                   ">job.sh")
              .status == 0);
  const auto in_shell = [&](const std::string& command) {
    return WEXITSTATUS(
        std::system(("cd '" + shell.folder().string() + "' && ORRERY_ASSETS='" + source_folder() +
                     "/assets' env -u OMPI_COMM_WORLD_RANK -u PMI_RANK -u SLURM_STEP_ID " +
                     command + " >out.txt 2>&1")
                        .c_str()));
  };
  const auto has = [&](const std::string& shard) {
    return fs::exists(shell.folder() / ("d.shards/" + shard + "-of-5/results.csv"));
  };
  CHECK(in_shell("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 bash job.sh rank") == 0);
  CHECK((has("2") && has("5") && !has("1") && !has("3") && !has("4")));
  CHECK(in_shell("PMI_RANK=0 PMI_SIZE=3 bash job.sh") == 0);
  CHECK((has("1") && has("4") && !has("3")));
  CHECK(in_shell("bash job.sh merge") == 1);
  CHECK(in_shell("SLURM_STEP_ID=0 SLURM_PROCID=2 SLURM_NTASKS=3 bash job.sh") == 0);
  CHECK(has("3"));
  CHECK(in_shell("bash job.sh merge") == 0);
  CHECK(fs::exists(shell.folder() / "d/results.csv"));
  CHECK(in_shell("bash job.sh rank") == 2);
  CHECK_THAT(content(shell.folder() / "out.txt"), Contains("start it with mpirun or srun"));
}

TEST_CASE("The Slurm script works from any folder, passes options on, and merges in any case") {
  const Shell shell;
  fs::create_directories(shell.folder() / "jobs");
  fs::create_directories(shell.folder() / "bin");
  REQUIRE(shell
              .run("plan rotation distance=1,2 --format none --shards 2 --out d --emit slurm",
                   ">jobs/job.sh")
              .status == 0);
  CHECK_THAT(content(shell.folder() / "jobs/job.sh"),
             Contains("#SBATCH --time=10\n") && Contains("#SBATCH --mem=256M\n"));
  // The script on standard input is the job that merges.
  shell.write("bin/sbatch",
              "#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$@\" >>\"$SAID\"\n"
              "case \"$*\" in *.sh) ;; *) cat >>\"$SAID\" ;; esac\necho '17;all'\n");
  fs::permissions(shell.folder() / "bin/sbatch", fs::perms::owner_all);
  const std::string here = shell.folder().string();
  const auto in_jobs = [&](const std::string& command) {
    return WEXITSTATUS(
        std::system(("cd '" + here + "/jobs' && SAID='" + here + "/said.txt' PATH='" + here +
                     "/bin':$PATH ORRERY_ASSETS='" + source_folder() + "/assets' " + command +
                     " >'" + here + "/out.txt' 2>&1")
                        .c_str()));
  };
  CHECK(in_jobs("bash job.sh --account=physics --array=1-2%1") == 0);
  const std::string said = content(shell.folder() / "said.txt");
  CHECK_THAT(said, Contains("--account=physics\n--array=1-2%1\n" + fs::canonical(here).string() +
                            "/jobs/job.sh\n") &&
                       Contains("--account=physics\n--dependency=afterany:17\n#!/bin/bash\n") &&
                       Contains("#SBATCH --time=10\n#SBATCH --mem=256M\n#SBATCH --requeue\n") &&
                       Contains("--chdir=" + fs::canonical(here).string() +
                                "/d.shards/logs\n--output=%A_%a.log"));
  CHECK_THAT(content(shell.folder() / "jobs/job.sh"), Contains("out=d\n"));
  CHECK(fs::is_directory(shell.folder() / "d.shards/logs"));
  for (const char* task : {"1", "2"})
    CHECK(in_jobs(std::string("env SLURM_ARRAY_TASK_ID=") + task + " bash job.sh") == 0);
  CHECK(shell.run("merge d").status == 0);
  // A program for another processor is told as such.
  REQUIRE(in_jobs("sed -i 's|^program=.*|program=/bin/false|' job.sh") == 0);
  CHECK(in_jobs("env SLURM_ARRAY_TASK_ID=1 bash job.sh") == 1);
  CHECK_THAT(content(shell.folder() / "out.txt"), Contains("/bin/false does not run on"));
}

TEST_CASE("plan counts, estimates and lists without writing anything") {
  const Shell shell;
  const Outcome outcome =
      shell.run("plan decay_over_bases max_distance=16 --format none --list --out d");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("5 points, 0 done, 0 failed, 5 left; into d/") &&
                              Contains("base = 1000, 10000, 100000, 1000000, 1e+07") &&
                              Contains("estimated from 3 discarded sample points"));
  CHECK(!fs::exists(shell.folder() / "d"));
  const auto json = nlohmann::json::parse(shell.run("plan decay_over_bases --json").out);
  CHECK(json["points"].size() == 5);
  CHECK(json["left"] == 5);
}

TEST_CASE("A stop signal, or a terminal that is closed, keeps what is done and says how to go on") {
  for (const auto& [signal, status] : {std::pair("INT", 130), {"HUP", 129}}) {
    INFO(signal);
    const Shell shell;
    // Long before its million points would be done.
    const Outcome outcome = shell.run_program(
        signalled(signal, "test -s d/journal.jsonl"),
        "sweep long_term_decay 'max_distance=range(100000,101000)' --format none --out d");
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains("continue with: orrery resume d"));
    const auto state = nlohmann::json::parse(shell.run("status d --json").out);
    CHECK(state["left"].get<int>() + state["done"].get<int>() == 1000);
    CHECK(fs::exists(shell.folder() / "d/results.csv"));
  }
}

TEST_CASE("nohup lets a sweep outlive its terminal") {
  const Shell shell;
  const Outcome outcome = shell.run_program(
      R"(sh -c 'nohup "$@" & until test -s d/journal.jsonl; do sleep 0.02; done; kill -HUP $!; wait $!' sh)",
      "sweep long_term_decay 'max_distance=range(20000,20010)' --format none --out d");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("10 of 10 points done"));
}

TEST_CASE("Wrong words are refused with status 2 and the nearest name") {
  const Shell shell;
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"sweep long_term_decya", "did you mean long_term_decay?"},
      {"sweep long_term_decay dmi=4", "did you mean dim?"},
      {"sweep long_term_decay dim=4,4", "contains 4 twice"},
      {"sweep long_term_decay 'dim=range(0)'", "is empty"},
      {"sweep long_term_decay 'dim=range(1,4)'", "dim=1"},
      {"sweep long_term_decay draws=2,4", "draws"},
      {"sweep long_term_decay dim=4 --zip dim", "names a single key to zip"},
      {"sweep long_term_decay dim=4 --shard 3/2", "is not i/n"},
      {"run decay_over_bases dim=4 --repeats 2", "repeats"},
      {"sweep long_term_decay dim=4 --ouy d",
       "--ouy: is neither an option nor a parameter here; "
       "did you mean --out?"},
      {"sweep long_term_decay --dry-run", "orrery plan shows what a sweep would compute"},
      {"run attention_map --hed 3", "hed: is not a parameter here; did you mean head?"},
      {"run long_term_decay DIM=4", "DIM: is not a parameter here; did you mean dim?"},
      {"run long_term_decay --rope-theta 4",
       "--rope-theta: is not a parameter here; did you mean base?"},
      {"run long_term_decay seq_len=4", "did you mean max_distance?"},
      {"run", "orrery: NAME is required; orrery help run lists what it takes"},
      {"sweep rotation --repeats 0", "orrery: --repeats: Value 0 not in range"},
      {"describe roformer_figur_2", "did you mean roformer_figure_2?"}};
  for (const auto& [words, said] : wrong) {
    const Outcome outcome = shell.run(words);
    INFO(words << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(said));
  }
  CHECK(fs::is_empty(shell.folder() / "out.txt"));
}
