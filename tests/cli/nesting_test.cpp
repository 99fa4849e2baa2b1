// Files that are nested without end: each reader refuses them in words, on a small stack.
#include <catch2/catch.hpp>
#include <string>

#include "tests/cli/shell.h"

namespace {

using namespace orrery::test;

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

constexpr int levels = 50'000;

struct Deep {
  std::string file{};
  std::string text{};
};

Outcome on_a_small_stack(const Shell& shell, const std::string& arguments) {
  return shell.run_program("bash -c 'ulimit -s 1024; exec \"$@\"' small", arguments);
}

}  // namespace

TEST_CASE("A sweep file that is nested without end is refused by its place") {
  const Shell shell;
  const std::string keys = repeated("a.", levels) + "a";
  for (const auto& [file, text] : {Deep{"keys.toml", keys + " = 1\n"},
                                   {"heading.toml", "[" + keys + "]\nb = 1\n"},
                                   {"tables.toml", "[[" + keys + "]]\nb = 1\n"},
                                   {"arrays.toml", "a = " + repeated("[", levels) + "\n"},
                                   {"inline.toml", "a = " + repeated("{a = ", levels) + "\n"}}) {
    shell.write(file, text);
    for (const std::string command : {"plan ", "sweep --out d "}) {
      const Outcome outcome = on_a_small_stack(shell, command + file);
      INFO(command << file << "\n" << outcome.err);
      CHECK(outcome.status == 3);
      CHECK(outcome.err.find("orrery: " + file + ", line 1, column ") == 0);
      CHECK(outcome.err.find("is nested deeper than 64 levels; ") != std::string::npos);
    }
  }
}

TEST_CASE("A lesson's state and a model's configuration that are nested without end are refused") {
  const Shell shell;
  shell.write("deep.md", "# Deep\n\n## A step\n\n```state\nexperiment = \"spectrum\"\n" +
                             repeated("a.", levels) + "a = 1\n```\n");
  const Outcome lesson = on_a_small_stack(shell, "lesson check deep.md");
  INFO(lesson.err << lesson.out);
  CHECK(lesson.status != 0);
  CHECK((lesson.err + lesson.out).find("is nested deeper than 64 levels") != std::string::npos);
  shell.write("config.json", "{\"a\": " + repeated("[", levels) + repeated("]", levels) + "}");
  const Outcome config = on_a_small_stack(shell, "run model_layers model=config.json");
  INFO(config.err);
  CHECK(config.status == 3);
  CHECK(config.err.find("is nested deeper than 64 levels") != std::string::npos);
}
