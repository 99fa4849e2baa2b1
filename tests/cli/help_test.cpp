#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/shell.h"

namespace {

using namespace orrery;
using Catch::Contains;
using test::content;
using test::Outcome;
using test::Shell;

/// The first words of the lines "  NAME   what it is" below a heading.
std::vector<std::string> names_below(const std::string& text, const std::string& heading) {
  std::vector<std::string> names;
  const std::regex line("\n  ([a-z0-9_-]+) +[^ ].*");
  const std::size_t begin = text.find(heading);
  const std::string part = begin == std::string::npos
                               ? std::string()
                               : text.substr(begin, text.find("\n\n", begin) - begin);
  for (auto it = std::sregex_iterator(part.begin(), part.end(), line); it != std::sregex_iterator();
       ++it)
    names.push_back((*it)[1].str());
  return names;
}

std::vector<std::string> topic_names(const Shell& shell) {
  return names_below(shell.run("help").out, "Topics");
}

std::vector<std::string> command_names(const Shell& shell) {
  const std::string help = shell.run("--help").out;
  std::vector<std::string> names;
  for (const char* group : {"\nLook up:", "\nRun and sweep:", "\nModels:", "\nSaved results:",
                            "\nLearn:", "\nProgram:"}) {
    const std::vector<std::string> below = names_below(help, group);
    INFO(group);
    CHECK(below.size() > 1);
    names.insert(names.end(), below.begin(), below.end());
  }
  return names;
}

}  // namespace

TEST_CASE("help lists commands and topics, and shows either") {
  const Shell shell;
  const std::string all = shell.run("help").out;
  CHECK_THAT(all, Catch::StartsWith(shell.run("--help").out));
  CHECK_THAT(shell.run("help sweep").out,
             Contains("Usage: orrery sweep") && Contains("--repeats") && !Contains("{false}"));
  const std::vector<std::string> topics = topic_names(shell);
  CHECK(topics.size() > 10);
  for (const std::string& topic : topics) {
    const Outcome shown = shell.run("help " + topic);
    INFO(topic);
    CHECK(shown.status == 0);
    CHECK(shown.out.size() > 500);
    CHECK_THAT(shown.out, !Contains("Usage:"));  // no command has its name
  }
  CHECK_THAT(shell.run("help exit-codes").out,
             Contains("  2       a wrong name") && Contains("  129     stopped by SIGHUP"));
  CHECK_THAT(shell.run("completion words help swee").out, Contains("sweeps"));
  const Outcome wrong = shell.run("help swep");
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("did you mean sweep?"));
}

TEST_CASE("Pages fit a terminal of 80 columns but for their code") {
  const Shell shell;
  for (const std::string& topic : topic_names(shell)) {
    std::istringstream lines(shell.run("help " + topic).out);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("    ")) continue;
      INFO(topic << ": " << line);
      const auto columns =
          std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
      CHECK(columns <= 80);
    }
  }
}

TEST_CASE("The manual names every encoding and every experiment") {
  const Shell shell;
  for (const auto& [what, heading] :
       {std::pair{"encodings", "Encodings"}, {"experiments", "Experiments"}}) {
    const std::string page = shell.run(std::string("help ") + what).out;
    const auto names = names_below(shell.run(std::string("list ") + what).out, heading);
    CHECK(names.size() > 15);
    for (const std::string& name : names) CHECK_THAT(page, Contains("\n  " + name + " "));
  }
}

TEST_CASE("Man pages are written of the program and of every topic") {
  const Shell shell;
  CHECK(shell.run("help --man man").status == 0);
  std::string program = content(shell.folder() / "man/orrery.1");
  program.erase(std::remove(program.begin(), program.end(), '\\'), program.end());
  for (const std::string& command : command_names(shell))
    CHECK_THAT(program, Contains("\n.SS orrery " + command + "\n"));
  CHECK_THAT(program, Contains("--zip") && Contains(".SH EXIT STATUS") &&
                          Contains("6       another process writes") && Contains("NO_COLOR"));
  for (const std::string& topic : topic_names(shell)) {
    INFO(topic);
    CHECK_THAT(program, Contains("orrery-" + topic));
    CHECK_THAT(content(shell.folder() / ("man/orrery-" + topic + ".7")),
               Catch::StartsWith(".TH ORRERY") && Contains(".SH SEE ALSO"));
  }
}
