// Both fronts give the same numbers: the desktop's result is the command line's, to the last digit.
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/shell/start.h"
#include "experiments/results/result_json.h"
#include "tests/cli/shell.h"

namespace orrery {
namespace {

/// What the desktop shows for these settings, as JSON.
std::string on_the_desktop(const std::string& view, const std::vector<std::string>& overrides) {
  const auto session = start_session({.view = view, .overrides = overrides}, {});
  while (session->busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  session->update();
  REQUIRE(session->current().result);
  return json_text(to_json(*session->current().result));
}

}  // namespace

TEST_CASE("The desktop and the command line give the same numbers") {
  const test::Shell shell;
  const std::vector<std::pair<std::string, std::vector<std::string>>> settings{
      {"long_term_decay", {"dim=96", "base=500000", "encoding=rope+alibi", "assumption=random"}},
      {"long_term_decay", {"rope.muted=band0+band3"}},
      {"relative_invariance",
       {"precision=exact+eager_bf16", "stage.qk=fp16", "encoding=rope+shaw", "seed=7"}},
      {"attention_map", {"encoding=sinusoidal+t5", "show=weights+terms", "max_tokens=20"}}};
  for (const auto& [view, overrides] : settings) {
    std::string command = "run " + view + " --json --format none --force --out " + view;
    for (const std::string& word : overrides) command += " " + word;
    INFO(command);
    const test::Outcome outcome = shell.run(command);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == on_the_desktop(view, overrides));
  }
}

}  // namespace orrery
