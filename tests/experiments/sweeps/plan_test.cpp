// Points, their ids and seeds, and what makes two plans differ.
#include "experiments/sweeps/sweep_layout.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/files/file.h"
#include "experiments/results/result_json.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

SweepSpec spec_from(const std::string& toml) {
  return parse_sweep("experiment = \"long_term_decay\"\n" + toml, "sweep.toml");
}

Plan plan_from(const std::string& toml) { return make_plan(spec_from(toml), {}); }

const std::string random_points =
    "repeats = 3\nseed = 7\n[params]\nassumption = \"random\"\n[sweep]\ndim = [32, 64]";

}  // namespace

TEST_CASE("Every point has an id of its own, and the same id in any sweep that has it") {
  const Plan plan = plan_from(random_points);
  REQUIRE(plan.points.size() == 6);
  std::set<std::string> ids;
  std::set<std::int64_t> seeds;
  for (const PlanPoint& point : plan.points) {
    ids.insert(point.id);
    seeds.insert(point.params.integer("seed"));
  }
  CHECK(ids.size() == 6);
  CHECK(seeds.size() == 3);  // one per repeat: both dims see the same draws
  CHECK(seeds.contains(7));
  const Plan narrower = plan_from(
      "repeats = 2\nseed = 7\n[params]\nassumption = \"random\"\n[sweep]\ndim = [64, 128]");
  CHECK(narrower.points[0].id == plan.points[3].id);
  CHECK(narrower.points[1].id == plan.points[4].id);
  CHECK(plan.points[4].label == "dim=64 repeat=1");
}

TEST_CASE("The root seed changes every derived seed, and a given seed none") {
  std::string other = random_points;
  other.replace(other.find("seed = 7"), 8, "seed = 8");
  CHECK(plan_from(other).points[0].id != plan_from(random_points).points[0].id);
  for (const PlanPoint& point :
       plan_from("[params]\nassumption = \"random\"\nseed = 5\n[sweep]\ndim = [32, 64]").points)
    CHECK(point.params.integer("seed") == 5);
}

TEST_CASE("A seed is SHA-256 of root seed, id and repeat") {
  // printf 'seed\n7\n0123456789ab\n2\n' | sha256sum gives a5063d2a3f364a6…; its first 15 digits
  // modulo 10^9.
  CHECK(point_seed(7, "0123456789ab", 2) == 861051046);
}

TEST_CASE("Repeats of what is not random, or has its seed given, are refused") {
  CHECK_THROWS_WITH(plan_from("repeats = 2\n[params]\nassumption = \"random\"\nseed = 5"),
                    Contains("needs a seed of its own for every repeat"));
}

TEST_CASE("A plan is restored from its text") {
  const FigureOptions figures{{"svg"}, "dark", true, {}, {"decay_bound"}};
  const Plan plan = part_of(make_plan(spec_from(random_points), figures), {2, 3});
  const Plan restored = plan_from(plan_record(json_text(to_json(plan)), "plan.json"), "sweep");
  CHECK(plan_differences(plan, restored).empty());
  CHECK(json_text(to_json(restored)) == json_text(to_json(plan)));
  CHECK(restored.figures == figures);
  CHECK(restored.points.size() == 2);
  CHECK(restored.points[1].id == plan_from(random_points).points[4].id);
  auto json = to_json(plan);
  json["points"].erase(0);
  CHECK_THROWS_WITH(plan_record(json_text(json), "plan.json"),
                    Contains("it has 1 points, and shard 2/3 of 6 points has 2"));
}

TEST_CASE("A shard's plan of earlier versions, with the points of all shards, is read as its own") {
  const Plan whole = plan_from(random_points);
  auto json = to_json(whole);
  json["shard"] = {{"index", 2}, {"count", 3}};
  const PlanRecord record = plan_record(json_text(json), "plan.json");
  CHECK(plan_differences(plan_from(record, "sweep"), part_of(whole, {2, 3})).empty());
  CHECK(plan_id(plan_from(record, "sweep")) == plan_id(whole));
  CHECK(plan_differences(whole_plan_from(record, "sweep").value(), whole).empty());
}

TEST_CASE("Every difference of two plans is named") {
  const Plan plan = plan_from(random_points);
  const auto lines = [&](const Plan& other) {
    std::string text;
    for (const std::string& line : plan_differences(plan, other)) text += line + "\n";
    return text;
  };
  CHECK(lines(plan).empty());
  std::string wider = random_points;
  wider.replace(wider.find("[32, 64]"), 8, "[32, 128]");
  CHECK_THAT(lines(plan_from(wider)), Contains("- point ") && Contains("+ point ") &&
                                          Contains("dim=64") && !Contains("dim=32"));
  CHECK_THAT(lines(make_plan(spec_from(random_points), {{"png"}, "print", true})),
             Contains("figures:  -> png") && Contains("theme: auto -> print") &&
                 Contains("formulas: none -> shown"));
  CHECK_THAT(lines(part_of(plan, {1, 2})), Contains("shard: 1/1 -> 1/2"));
  std::string turned = random_points;
  turned.replace(turned.find("[32, 64]"), 8, "[64, 32]");
  CHECK_THAT(lines(plan_from(turned)), Contains("order of the points, from point 1 on"));
}

TEST_CASE("A plan that this program would not make is refused as another plan") {
  const Plan plan = plan_from(random_points);
  const auto refusal = [](nlohmann::ordered_json json) -> std::string {
    try {
      plan_from(plan_record(json_text(json), "old"), "old");
    } catch (const Error& error) {
      return (error.kind() == ErrorKind::plan ? "plan " : "other ") + std::string(error.what());
    }
    return "accepted";
  };
  auto json = to_json(plan);
  CHECK(refusal(json) == "accepted");
  json["version"] = 99;
  CHECK_THAT(refusal(json), Contains("plan old") && Contains("version 99 -> "));
  json = to_json(plan);
  json["points"][1]["params"]["dim"] = "48";
  CHECK_THAT(refusal(json), Contains("plan old") && Contains("other defaults"));
  json = to_json(plan);
  json["points"][1]["params"]["dmi"] = "48";
  CHECK_THAT(refusal(json), Contains("plan old") && Contains("did you mean dim?"));
  json = to_json(plan);
  json.erase("points");
  CHECK_THAT(refusal(json), Contains("other old") && Contains("is not a plan"));
}

TEST_CASE("A file that changed between two plans makes another point") {
  const TempFolder temp;
  const auto path = temp.file("note.txt", "the sun and the moon").string();
  const std::string toml =
      "experiment = \"attention_map\"\n[params]\ntext = \"" + path + "\"\nmax_tokens = 8\n";
  const Plan before = make_plan(parse_sweep(toml, "s"), {});
  temp.file("note.txt", "the moon and the sun");
  CHECK(make_plan(parse_sweep(toml, "s"), {}).points[0].id != before.points[0].id);
  CHECK_THROWS_WITH(plan_from(plan_record(json_text(to_json(before)), "old"), "old"),
                    Contains("the content of text="));
}

TEST_CASE("Shards part the points, each point in one of them") {
  for (const std::string bad : {"", "0/2", "3/2", "1", "1/", "a/b", "1/2x", "-1/2"})
    CHECK_THROWS_WITH(parse_shard(bad), Contains("is not i/n"));
  CHECK(parse_shard("2/4") == Shard{2, 4});
  for (std::size_t point = 0; point < 10; ++point)
    CHECK(Shard{1, 3}.holds(point) + Shard{2, 3}.holds(point) + Shard{3, 3}.holds(point) == 1);
}

TEST_CASE("The text of a plan is that of its JSON, with the SHA-256 of the rest at its end") {
  Plan none = plan_from(random_points);
  none.points.clear();
  Plan one = plan_from(random_points);
  one.points.erase(one.points.begin() + 1, one.points.end());
  const Plan whole = plan_from(random_points);
  for (const Plan& plan : {none, one, whole, part_of(whole, {.index = 2, .count = 4}, "abc")}) {
    nlohmann::ordered_json json = to_json(plan);
    json["sha256"] = sha256_hex(json_text(json));
    CHECK(plan_text(plan) == json_text(json));
  }
}

TEST_CASE("A plan whose text was changed, or has what is no point, is refused") {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      plan_record(text, "plan.json");
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  const std::string text = plan_text(plan_from(random_points));
  CHECK(refusal(text).empty());
  std::string other = text;
  other.replace(other.find("dim=32"), 6, "dim=64");
  CHECK_THAT(refusal(other), Contains("differs from its SHA-256"));
  // Earlier versions wrote no SHA-256.
  auto json = to_json(plan_from(random_points));
  CHECK(refusal(json_text(json)).empty());
  json["points"][1]["repeat"] = 3;
  CHECK_THAT(refusal(json_text(json)), Contains("'repeat' is 3, which is not from 0 to 2"));
  json["points"][1] = 5;
  CHECK_THAT(refusal(json_text(json)), Contains("not an object"));
}

TEST_CASE("A request that makes another plan has another id, and one with files has none") {
  const auto id_of = [](const std::string& toml) { return request_id(spec_from(toml), {}); };
  const std::string id = id_of(random_points);
  CHECK(id == id_of(random_points));
  std::string other = random_points;
  other.replace(other.find("seed = 7"), 8, "seed = 8");
  CHECK(id_of(other) != id);
  CHECK(id_of(random_points + "\nbase = [1e4, 1e5]") != id);
  CHECK(request_id(spec_from(random_points), {.formats = {"svg"}}) != id);
  CHECK(request_id(parse_sweep("experiment = \"rotation\"\n[params]\ncontent = \"file\"\nq = "
                               "\"q.npy\"",
                               "sweep.toml"),
                   {})
            .empty());
}
