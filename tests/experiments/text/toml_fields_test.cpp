#include "experiments/text/toml_fields.h"

#include <catch2/catch.hpp>

#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

struct Pane {
  std::optional<Range> x{};
  std::vector<std::string> hidden{};
};

struct Options {
  std::string name{};
  int repeats{1};
  ParamSet params{{{.key = "n", .default_value = std::int64_t{1}},
                   {.key = "rope.base", .kind = ParamKind::real, .default_value = 1e4}}};
  std::map<std::string, Pane> panes{};
};

const TomlFields<Options>& fields() {
  static const TomlFields<Pane> of_pane{field("x", &Pane::x, toml_range()),
                                        field("hidden", &Pane::hidden, toml_words())};
  static const TomlFields<Options> all{field("name", &Options::name, toml_text()),
                                       field("repeats", &Options::repeats, toml_whole_number(1, 9)),
                                       params_field("params", &Options::params),
                                       section_field("pane", &Options::panes, of_pane)};
  return all;
}

const std::string written =
    "name = \"ä \\\"b\\\"\"\nrepeats = 3\n\n[params]\nrope.base = 0.1\n\n[pane.\"a b\"]\n"
    "x = [-1.0, 2.5]\nhidden = [\"one\"]\n";

/// The problems of a text, each with its line.
std::vector<std::string> problems_of(std::string_view toml) {
  std::vector<std::string> problems;
  Options settings;
  read_fields(settings, fields(), parse_toml(toml, "a.toml"), "a key here",
              [&](int line, const std::function<void()>& read) {
                try {
                  read();
                } catch (const UsageError& error) {
                  problems.push_back(std::to_string(line) + ": " + error.what());
                }
              });
  return problems;
}

}  // namespace

TEST_CASE("Fields that are named once are written as they are read") {
  Options settings;
  read_fields(settings, fields(), parse_toml(written, "a.toml"), "a key here", unguarded);
  CHECK(settings.name == "ä \"b\"");
  CHECK(settings.params.real("rope.base") == 0.1);
  CHECK(settings.panes.at("a b").x == Range{-1, 2.5});
  CHECK(write_fields(settings, fields()) == written);
  CHECK(write_fields(Options{}, fields()).empty());
}

TEST_CASE("Under a guard each wrong entry is a problem of its line, and the others are read") {
  const std::vector<std::string> problems = problems_of(
      "nmae = 1\nrepeats = 10\n[params]\nn = \"x\"\nrope = {bsae = 1}\n[pane.a]\nx = [2, 1]\n"
      "hidden = 3\n[pane]\nb = 4\n");
  REQUIRE(problems.size() == 7);
  CHECK(problems[0] == "1: nmae: is not a key here; did you mean name?");
  CHECK(problems[1] == "2: repeats: must be a whole number from 1 to 9; write repeats = 1");
  CHECK_THAT(problems[2], Contains("4: n=x: must be a whole number"));
  CHECK_THAT(problems[3], Contains("5: rope.bsae: ") && Contains("rope.base"));
  CHECK_THAT(problems[4], Contains("7: x: must be a range, the lower end first"));
  CHECK_THAT(problems[5], Contains("8: hidden: must be a list"));
  CHECK_THAT(problems[6], Contains("10: pane.b: must be a section"));
}
