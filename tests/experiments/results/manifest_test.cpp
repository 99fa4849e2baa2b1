#include "experiments/results/manifest.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/experiments/results/example_result.h"

using namespace orrery;
using namespace std::chrono_literals;

namespace {

const std::chrono::system_clock::time_point noon{1715947200s};  // 2024-05-17 12:00 UTC

}  // namespace

TEST_CASE("Times are ISO 8601 in UTC with milliseconds") {
  CHECK(iso8601_utc(noon) == "2024-05-17T12:00:00.000Z");
  CHECK(iso8601_utc(noon + 7ms) == "2024-05-17T12:00:00.007Z");
  CHECK(iso8601_utc(std::chrono::system_clock::time_point{-1ms}) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("A manifest says what ran, on what, from what") {
  const RunRecord run{.argv = {"orrery", "run", "decay"},
                      .inputs = {{"text", "a.txt", "ab12", 3}},
                      .threads = 2,
                      .times = RunTimes{noon, noon + 1500ms, 1.5}};
  const auto json = manifest_json(example_result(), run, {{"result.json", 10, "cd34"}});
  CHECK(json["schema"] == "orrery.manifest/1");
  CHECK(json["experiment"]["name"] == "decay");
  CHECK(json["experiment"]["version"] == 3);
  CHECK(json["experiment"]["params"]["encoding"] == "rope+alibi");
  CHECK(json["run"]["argv"][2] == "decay");
  CHECK(json["run"]["threads"] == 2);
  CHECK(json["run"]["seed"] == 42);
  CHECK(json["run"]["status"] == "completed");
  CHECK(json["run"]["started"] == "2024-05-17T12:00:00.000Z");
  CHECK(json["run"]["finished"] == "2024-05-17T12:00:01.500Z");
  CHECK(json["run"]["wall_seconds"] == 1.5);
  CHECK(json["inputs"][0].dump() == R"({"key":"text","path":"a.txt","bytes":3,"sha256":"ab12"})");
  CHECK(json["files"][0].dump() == R"({"path":"result.json","bytes":10,"sha256":"cd34"})");
  for (const char* key : {"cpu", "os", "kernel", "architecture"})
    CHECK_FALSE(json["machine"][key].get<std::string>().empty());
}

TEST_CASE("The build knows its version, its compiler and its commit or that there is none") {
  const BuildInfo& build = build_info();
  CHECK(build.version.find('.') != std::string::npos);
  CHECK((build.commit == "unknown" || build.commit.size() == 40));
  CHECK((build.commit != "unknown" || !build.dirty));
  CHECK_FALSE(build.compiler.empty());
  CHECK(build.flags.find("-ffp-contract=off") != std::string::npos);
  CHECK_FALSE(build.cpu_level.empty());
}
