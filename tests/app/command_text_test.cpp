#include "app/command_text.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/start.h"
#include "experiments/batch/result_json.h"
#include "tests/app/fixture.h"
#include "tests/cli/shell.h"

namespace orrery {
namespace {

TEST_CASE("Words are quoted where a shell would change them, and only there") {
  CHECK(shell_word("dim=64") == "dim=64");
  CHECK(shell_word("encoding=rope+t5") == "encoding=rope+t5");
  CHECK(shell_word("text=/a/b.txt") == "text=/a/b.txt");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("text=a b.txt") == "'text=a b.txt'");
  CHECK(shell_word("text=it's.txt") == "'text=it'\\''s.txt'");
  for (const char* word : {"a$b", "a`b", "a\"b", "a\\b", "a;b", "a*b", "a~b", "a#b", "a\nb", "ä"})
    CHECK(shell_word(word).front() == '\'');
}

TEST_CASE("A shell reads every quoted word back as it was") {
  const test::Shell shell;
  for (const std::string word : {"it's", "a b", "$HOME", "`date`", "\"x\"", "a\\b", "*", "~", "#",
                                 "!x", "ü 中", "a;b&c|d", "''", "(x)", "{a,b}", "-n=1"}) {
    shell.write("word.sh", "printf %s " + shell_word(word) + " > word.txt");
    REQUIRE(std::system(("cd '" + shell.folder().string() + "' && sh word.sh").c_str()) == 0);
    CHECK(test::content(shell.folder() / "word.txt") == word);
  }
}

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
