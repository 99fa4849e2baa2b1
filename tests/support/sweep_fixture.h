#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/results/figure_options.h"

namespace orrery::test {

/// One point of a hand-written sweep.
struct FixturePoint {
  std::string id{};
  std::string label{};
  Settings params{};
  int repeat{};
  std::string error{};  ///< not empty if the point failed
  double score{};
  bool has_folder{true};  ///< false: its files are lost
};

inline Result fixture_result(const FixturePoint& point) {
  Result result;
  result.provenance = {"toy", 2, point.params, 7};
  result.scalars = {{"score", "s", "", point.score, "the score"}};
  result.checks = {{"small", "the score is small", "eq. (1)", point.score, Relation::at_most, 5.0}};
  result.figures = {{"curve", "A curve", "toy",
                     LinePlot{.series = {{.name = "score", .x = {0, 1}, .y = {0, point.score}}}}}};
  return result;
}

/// Writes a sweep's folder: plan.json, results.jsonl, manifest.json, points/ID.
inline void write_sweep(const std::filesystem::path& folder, const std::vector<std::string>& swept,
                        const std::vector<FixturePoint>& points, int repeats = 1) {
  using Json = nlohmann::ordered_json;
  std::filesystem::create_directories(folder / "points");
  Json plan{{"schema", "orrery.plan/1"},
            {"experiment", "toy"},
            {"version", 2},
            {"seed", 7},
            {"repeats", repeats},
            {"swept", swept},
            {"combinations", points.size()},
            {"figures", {{"formats", {"svg"}}, {"theme", "light"}}},
            {"points", Json::array()}};
  std::ofstream results(folder / "results.jsonl");
  for (const FixturePoint& point : points) {
    Json params = Json::object();
    for (const auto& [key, value] : point.params) params[key] = value.str();
    plan["points"].push_back({{"id", point.id},
                              {"label", point.label},
                              {"params", params},
                              {"swept", params},
                              {"repeat", point.repeat}});
    Json line{{"id", point.id}, {"repeat", point.repeat}, {"params", params}};
    const bool failed = !point.error.empty();
    line["status"] = failed ? "failed" : "done";
    if (failed) line["error"] = point.error;
    line["scalars"] = Json::object();
    line["checks"] = Json::object();
    if (!failed) {
      line["scalars"]["score"] = point.score;
      line["checks"]["small"] = {{"measured", point.score},
                                 {"relation", "at_most"},
                                 {"bound", 5.0},
                                 {"holds", point.score <= 5.0}};
    }
    if (!failed && point.has_folder) {
      write_result(fixture_result(point), {},
                   write_options(folder / "points" / point.id, {.formats = {"svg"}}));
    }
    results << line.dump() << "\n";
  }
  std::ofstream(folder / "plan.json") << plan.dump(2);
  std::ofstream(folder / "manifest.json")
      << Json{{"schema", "orrery.sweep/1"},
              {"program", {{"version", "0.1.0"}, {"commit", "abc"}}},
              {"calls", {{{"argv", {"/usr/bin/orrery", "sweep", "it's toy.toml"}}}}}};
}

/// Two dims by two bases. The last point failed, and one check does not hold.
inline std::vector<FixturePoint> fixture_points() {
  return {{"aaaaaaaaaaaa", "dim=8 base=10", {{"dim", "8"}, {"base", "10"}}, 0, "", 1.0},
          {"bbbbbbbbbbbb", "dim=8 base=100", {{"dim", "8"}, {"base", "100"}}, 0, "", 2.0},
          {"cccccccccccc", "dim=16 base=10", {{"dim", "16"}, {"base", "10"}}, 0, "", 6.0},
          {"dddddddddddd",
           "dim=16 base=100",
           {{"dim", "16"}, {"base", "100"}},
           0,
           "dim=16: breaks <rules>",
           0.0}};
}

}  // namespace orrery::test
