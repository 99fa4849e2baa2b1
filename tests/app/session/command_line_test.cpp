#include "app/session/session_toml.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/shell/start.h"
#include "experiments/results/result_json.h"
#include "tests/app/fixture.h"
#include "tests/cli/shell.h"

namespace orrery {
namespace {

/// What the desktop shows now, as JSON.
std::string shown(Session& session) {
  while (session.busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  session.update();
  REQUIRE(session.current().result);
  return json_text(to_json(*session.current().result));
}

TEST_CASE("The copied command gives the numbers on screen, to the last digit") {
  const test::Shell shell;
  shell.write("it's a text.txt", "Orbits turn, and turn again; that is all they do.");
  const std::string text = (shell.folder() / "it's a text.txt").string();
  const std::vector<std::pair<std::string, std::vector<std::string>>> settings{
      {"long_term_decay", {"dim=96", "base=12345.678901234567", "encoding=rope+alibi"}},
      {"relative_invariance",
       {"precision=exact+eager_bf16", "stage.qk=fp16", "encoding=rope+shaw", "seed=7"}},
      {"attention_map", {"encoding=sinusoidal+t5", "text=" + text}}};
  for (const auto& [view, overrides] : settings) {
    const auto session = start_session({.view = view, .overrides = overrides}, {});
    const std::string command = command_text(session->current());
    INFO(command);
    REQUIRE(command.starts_with("orrery "));
    const test::Outcome outcome =
        shell.run(command.substr(7) + " --json --format none --out " + view);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == shown(*session));
  }
}

TEST_CASE("Defaults make a short command") {
  const auto session = start_session({.view = "attention_map"}, {});
  CHECK(command_text(session->current()) == "orrery run attention_map");
}

}  // namespace
}  // namespace orrery
