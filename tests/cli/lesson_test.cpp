// lesson, as teachers call it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/shell.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

std::string lesson_with(const std::string& expectation) {
  return "# Mine\n```lesson\nmisconception: None.\n```\n## One\nWords.\n```state\nexperiment = "
         "\"rotation\"\n```\n```expect\n" +
         expectation + "\n```\n```card\nA statement.\n```\n";
}

}  // namespace

TEST_CASE("lesson list names every lesson and what it removes") {
  const Shell shell;
  const Outcome listed = shell.run("lesson list");
  CHECK(listed.status == 0);
  CHECK_THAT(listed.out, Contains("07-decay") &&
                             Contains("With RoPE a score falls steadily with distance.") &&
                             Contains("12-precision"));
}

TEST_CASE("lesson check names what does not hold by file and line, and ends with status 1") {
  const Shell shell;
  fs::create_directories(shell.folder() / "mine");
  shell.write("mine/good.md", lesson_with("holds norm_is_kept"));
  const Outcome good = shell.run("lesson check mine");
  CHECK(good.status == 0);
  CHECK(good.out.empty());
  CHECK_THAT(good.err, Contains("1 lessons, 1 steps, 1 statements") && Contains("all hold"));
  shell.write("mine/bad.md", lesson_with("score = 1\nscor > 1\nscore >"));
  const Outcome bad = shell.run("lesson check mine");
  CHECK(bad.status == 1);
  CHECK_THAT(bad.out, Contains("mine/bad.md:11: 'score = 1': does not hold: the sides are ") &&
                          Contains("mine/bad.md:12: scor: is not a scalar or a parameter") &&
                          Contains("mine/bad.md:13: 'score >': ends where a number should") &&
                          !Contains("good.md"));
  CHECK(shell.run("lesson check mine/good.md decay").status == 0);
  CHECK(shell.run("lesson check nothing").status == 2);
  CHECK(shell.run("lesson check nothing.md").status == 4);
  CHECK(shell.run("lesson").status == 2);
}

TEST_CASE("lesson print writes a handout, and replaces nothing but an older one") {
  const Shell shell;
  REQUIRE(shell.run("lesson print decay --out hand").status == 0);
  CHECK_THAT(content(shell.folder() / "hand/07-decay.html"),
             Contains("<h2 id=\"answers\">Answers</h2>"));
  CHECK(shell.run("lesson print decay --out hand").status == 0);
  fs::create_directories(shell.folder() / "other");
  shell.write("other/07-decay.html", "<html>mine</html>");
  CHECK(shell.run("lesson print decay --out other").status == 4);
  CHECK(content(shell.folder() / "other/07-decay.html") == "<html>mine</html>");
  shell.write("bad.md", lesson_with("score >"));
  CHECK(shell.run("lesson print bad.md --out hand").status == 3);
  CHECK(!fs::exists(shell.folder() / "hand/bad.html"));
}

TEST_CASE("lesson show has the paper's tables with their caveats, and commands that run") {
  const Shell shell;
  CHECK_THAT(shell.run("lesson show").out, Contains("table-5"));
  const Outcome table = shell.run("lesson show table-2");
  CHECK(table.status == 0);
  CHECK_THAT(table.out, Contains("71.2") && Contains("worse on SST-2, QNLI and MNLI"));
  CHECK(shell.run("lesson show table-9").status == 2);
  for (const char* name : {"figure-1", "figure-2", "section-2-3"}) {
    INFO(name);
    const std::string said = shell.run(std::string("lesson show ") + name).out;
    const std::size_t at = said.find("  orrery run ");
    REQUIRE(at != std::string::npos);
    const std::string words = said.substr(at + 9, said.find('\n', at) - at - 9);
    CHECK(shell.run(words + " --format none --out " + name).status == 0);
  }
}

TEST_CASE("Without a display open and lesson play say what shows the same, and end with status 4") {
  const Shell shell;
  REQUIRE(shell.run("run rotation --format none --out r").status == 0);
  REQUIRE(shell.run("sweep rotation distance=1,2 --format none --out s").status == 0);
  const std::vector<std::pair<std::string, std::string>> said{
      {"open r", "orrery report r writes"},
      {"open s", "orrery report s writes"},
      {"open rotation distance=3", "orrery run rotation distance=3 writes"},
      {"open", "orrery list"},
      {"lesson play decay --step 3", "orrery lesson print decay writes"}};
  for (const auto& [words, instead] : said) {
    const Outcome outcome = shell.run_program("env -u DISPLAY -u WAYLAND_DISPLAY", words);
    INFO(words << "\n" << outcome.err);
    CHECK(outcome.status == 4);
    CHECK_THAT(outcome.err, Contains("needs a display, and neither DISPLAY nor WAYLAND_DISPLAY") &&
                                Contains(instead));
    CHECK(shell.run(instead.substr(7, instead.rfind(" writes") - 7)).status == 0);
  }
  // What is wrong in the words themselves comes first.
  CHECK(shell.run_program("env -u DISPLAY -u WAYLAND_DISPLAY", "open rotation dim=3").status == 2);
  CHECK_FALSE(fs::exists(shell.folder() / "orrery-views"));
}
