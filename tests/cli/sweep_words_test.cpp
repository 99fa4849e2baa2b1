// What plans and status say of a sweep's points.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/shell.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

const std::string small = "long_term_decay max_distance=6 distance=1 --format none ";

ordered_json plan_in(const Shell& shell) {
  return ordered_json::parse(content(shell.folder() / "d/plan.json"));
}

}  // namespace

TEST_CASE(
    "A plan has numbers as numbers, and one with texts, as older versions wrote, still loads") {
  const Shell shell;
  REQUIRE(shell.run("sweep " + small + "dim=4,8 base=1e7 --out d").status == 0);
  ordered_json plan = plan_in(shell);
  CHECK(plan["points"][0]["params"]["dim"] == 4);
  CHECK(plan["points"][0]["params"]["base"] == 1e7);
  CHECK(plan["points"][0]["swept"]["dim"].is_number_integer());
  for (ordered_json& point : plan["points"])
    for (const char* part : {"params", "swept"})
      for (auto& [key, value] : point[part].items())
        if (!value.is_string()) value = key == "base" ? "1e+07" : value.dump();
  plan.erase("sha256");
  shell.write("d/plan.json", plan.dump(2) + "\n");
  const Outcome resumed = shell.run("resume d");
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.err, Contains("2 of 2 points done (2 before)"));
  CHECK(shell.run("sweep " + small + "dim=4,8 base=1e7 --out d").status == 0);
}

TEST_CASE("A different plan names the point in which everything is a default") {
  const Shell shell;
  REQUIRE(shell.run("sweep spectrum --format none --out d").status == 0);
  const Outcome other = shell.run("sweep spectrum dim=4 --format none --out d");
  CHECK(other.status == 5);
  CHECK_THAT(other.err, Contains(" with every default\n") && Contains(" dim=4\n"));
}

TEST_CASE("status says why a sweep has fewer points than combinations") {
  const Shell shell;
  REQUIRE(shell.run("sweep " + small + "dim=4 encoding=alibi,rope base=1e3,1e4 --out d").status ==
          0);
  CHECK_THAT(shell.run("status d").out,
             Contains("4 combinations are 3 points: a value that is not read makes no difference"));
  REQUIRE(shell.run("sweep " + small + "dim=4,8 --out e").status == 0);
  CHECK_THAT(shell.run("status e").out, !Contains("combinations"));
}

TEST_CASE("A file whose name no plan can hold is refused before a sweep is made") {
  const Shell shell;
  shell.write("caf\xe9.txt", "one two three");
  for (const std::string command : {"plan", "sweep"}) {
    const Outcome refused = shell.run(command + " attention_map text='caf\xe9.txt' --format none" +
                                      (command == "sweep" ? " --out d" : ""));
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Contains("has a name that is not UTF-8") && Contains("rename"));
  }
  CHECK_FALSE(std::filesystem::exists(shell.folder() / "d"));
}
