// A sweep's folder may come from somebody else: whatever its files state, each reader reads it or
// refuses it by the name of the file.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/reports/compare.h"
#include "experiments/reports/report.h"
#include "experiments/sweeps/runner.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/sweep_index.h"
#include "experiments/sweeps/sweep_layout.h"
#include "tests/support/json_changes.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t many_bytes = 1 << 24;

class Silent : public SweepObserver {
 public:
  void tick(const SweepProgress&) override {}
  void finished(const PlanPoint&, const JournalEntry&, const SweepProgress&) override {}
};

/// A finished sweep of two points, the second of a shard of one.
class SavedSweepCopy {
 public:
  SavedSweepCopy() {
    const SweepSpec spec = parse_sweep(
        "experiment = \"long_term_decay\"\nrepeats = 2\nseed = 7\n[params]\nmax_distance = 4\n"
        "distance = 1\ndim = 4\nassumption = \"random\"\ndraws = 2",
        "sweep.toml");
    const Plan plan = make_plan(spec, {{"svg"}, "dark", true});
    SweepFolder folder(this->folder(), plan);
    Silent silent;
    run_sweep(plan, folder, {}, silent);
  }

  fs::path folder() const { return temp_.path() / "a/b/sweep"; }
  std::string bytes(const std::string& file) const {
    return read_file(folder() / file, many_bytes);
  }
  void write(const std::string& file, const std::string& bytes) const {
    std::ofstream(folder() / file, std::ios::binary) << bytes;
  }

  std::set<std::string> surroundings() const {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(temp_.path()))
      if (entry.path().lexically_relative(folder()).begin()->string() == "..")
        found.insert(entry.path().string());
    return found;
  }

 private:
  TempFolder temp_{};
};

template <class Read>
std::string refusal(Read read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// Every reader of a sweep's folder. What one of them cannot read another one may.
int refusals(const fs::path& folder) {
  int refused = 0;
  const auto count = [&](const std::string& said) { refused += said != "accepted"; };
  count(refusal([&] { read_index(folder); }));
  count(refusal([&] { load_sweep(folder); }));
  count(refusal([&] { compare_folders(folder, folder); }));
  count(refusal([&] { make_report({.folder = folder, .beside = folder}); }));
  count(refusal([&] {
    const Plan plan = read_plan(folder);
    const SweepFolder sweep(folder, plan);
    const auto pending = sweep.pending(plan);
    point_records(folder, plan, read_journal(folder / journal_file));
  }));
  return refused;
}

/// The line of a journal with its checksum set right again.
std::string journal_text(const Json& json) {
  std::string body = json.dump();
  body.pop_back();
  return body + ",\"sum\":\"" + sha256_hex(body).substr(0, 16) + "\"}\n";
}

}  // namespace

TEST_CASE("Whatever one value of a sweep's files is changed to, readers read it or refuse it") {
  const SavedSweepCopy saved;
  REQUIRE(refusals(saved.folder()) == 0);
  const std::set<std::string> before = saved.surroundings();
  for (const std::string file : {"plan.json", "manifest.json"}) {
    const std::string original = saved.bytes(file);
    Json content = Json::parse(original);
    content.erase("sha256");  // else it alone is what every reader refuses
    test::for_each_change(content, [&](const Json& json, const std::string& what) {
      saved.write(file, json.dump());
      INFO(file << " " << what);
      REQUIRE_NOTHROW(refusals(saved.folder()));
    });
    saved.write(file, original);
  }
  for (const std::string file : {"results.jsonl", "journal.jsonl"}) {
    const std::string original = saved.bytes(file);
    const std::size_t end = original.find('\n');
    Json first = Json::parse(original.substr(0, end));
    first.erase("sum");
    test::for_each_change(first, [&](const Json& json, const std::string& what) {
      const bool has_sum = file == "journal.jsonl" && json.is_object();
      const std::string line = has_sum ? journal_text(json) : json.dump() + "\n";
      saved.write(file, line + original.substr(end + 1));
      INFO(file << " " << what);
      REQUIRE_NOTHROW(refusals(saved.folder()));
    });
    saved.write(file, original);
  }
  CHECK(refusals(saved.folder()) == 0);
  CHECK(saved.surroundings() == before);
}

TEST_CASE("A link in a sweep's folder is not followed to write") {
  const SavedSweepCopy saved;
  const fs::path mine = saved.folder().parent_path() / "mine";
  fs::create_directory(mine);
  std::ofstream(mine / "letter.txt") << "dear";
  const Plan plan = read_plan(saved.folder());
  for (const char* name : {".lock", "journal.jsonl", "points"}) {
    INFO(name);
    const fs::path place = saved.folder() / name;
    const fs::path kept = saved.folder() / "kept";
    const bool is_folder = fs::is_directory(place);
    fs::rename(place, kept);
    fs::create_symlink(is_folder ? mine : mine / "letter.txt", place);
    const std::string said = refusal([&] { SweepFolder(saved.folder(), plan); });
    CHECK_THAT(said, Contains(place.string()) && Contains("remove the link"));
    CHECK(read_file(mine / "letter.txt", 9) == "dear");
    fs::remove(place);
    fs::rename(kept, place);
  }
  CHECK(refusal([&] { SweepFolder(saved.folder(), plan); }) == "accepted");
}

TEST_CASE("A plan states numbers in their ranges, ids that are names, and each point once") {
  const SavedSweepCopy saved;
  Json plan = Json::parse(saved.bytes("plan.json"));
  CHECK(plan.erase("sha256") == 1);  // without it as if an earlier version had written the plan
  const auto refused = [&](const char* place, const Json& value) {
    Json changed = plan;
    changed[Json::json_pointer(place)] = value;
    saved.write("plan.json", changed.dump());
    const std::string said = refusal([&] { read_plan_record(saved.folder()); });
    saved.write("plan.json", plan.dump());
    return said;
  };
  const Json none{{"index", 1}, {"count", 0}};
  CHECK_THAT(refused("/shard", none), Contains("'count' is 0, which is not from 1 to 100000"));
  CHECK_THAT(refused("/shard", {{"index", 0}, {"count", 2}}), Contains("'index' is 0"));
  CHECK_THAT(refused("/shard", {{"index", 3}, {"count", 2}}), Contains("'index' is 3"));
  CHECK_THAT(refused("/shard", {{"index", 1}, {"count", 1e300}}), Contains("not a whole number"));
  CHECK(refused("/shard", {{"index", 2}, {"count", 2}}) == "accepted");
  CHECK_THAT(refused("/repeats", -1), Contains("'repeats' is -1"));
  CHECK_THAT(refused("/points/0/repeat", 1e300), Contains("'repeat' is not a whole number"));
  CHECK_THAT(refused("/points/0/repeat", 2), Contains("'repeat' is 2, which is not from 0 to 1"));
  CHECK_THAT(refused("/points/1/id", plan["points"][0]["id"]), Contains("twice"));
  CHECK_THAT(refused("/points/0/id", "../../res/points"), Contains("which is not a name"));
  CHECK_THAT(refused("/figures/theme", "neon"), Contains("neon"));
  CHECK_THAT(refused("/figures/formats", {"exe"}), Contains("exe"));
}

TEST_CASE("A sweep that is kept is read anew once a file of it has changed") {
  const SavedSweepCopy sweep;
  const auto kept = kept_sweep(sweep.folder());
  CHECK(kept->points.size() == 2);
  CHECK(kept_sweep(sweep.folder()) == kept);
  const std::string results = sweep.bytes("results.jsonl");
  sweep.write("results.jsonl", results.substr(0, results.find('\n') + 1));
  const auto shorter = kept_sweep(sweep.folder());
  CHECK(count_with(shorter->points, PointStatus::done) == 1);
  CHECK(count_with(kept->points, PointStatus::done) == 2);
  sweep.write("plan.json", "{");
  CHECK_THROWS_AS(kept_sweep(sweep.folder()), DataError);
  CHECK_THROWS_AS(kept_sweep(sweep.folder()), DataError);
}
