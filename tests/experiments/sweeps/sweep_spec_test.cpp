// Presets, sweep files and command lines: which points they span, and what they refuse.
#include "experiments/sweeps/sweep_spec.h"

#include <catch2/catch.hpp>

#include "core/errors.h"
#include "tests/support/sweep_overrides.h"

using namespace orrery;
using Catch::Matchers::Contains;
using orrery::test::overrides_of;
using Words = std::vector<std::string>;

namespace {

SweepSpec spec_with(const std::string& toml, const Words& words = {}) {
  SweepSpec spec = parse_sweep(toml, "sweep.toml");
  apply_words(spec, words);
  return spec;
}

std::string refusal_with(const std::string& toml, const Words& words = {}) {
  try {
    combinations_of(spec_with(toml, words));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const std::string decay_line = "experiment = \"long_term_decay\"\n";

}  // namespace

TEST_CASE("Lists are crossed in the order in which they are written, the last one fastest") {
  CHECK(overrides_of(
            spec_with(decay_line + "[sweep]\nmax_distance = [8, 16]\ndim = \"pow2(5..6)\"")) ==
        std::vector<Words>{{"dim=32", "max_distance=8"},
                           {"dim=64", "max_distance=8"},
                           {"dim=32", "max_distance=16"},
                           {"dim=64", "max_distance=16"}});
}

TEST_CASE("The command line wins over the file, the file over its preset, that over defaults") {
  const std::string file = "parent = \"roformer_figure_2\"\n[params]\nmax_distance = 8\ndim = 64\n";
  CHECK(overrides_of(spec_with(file)) == std::vector<Words>{{"dim=64", "max_distance=8"}});
  CHECK(overrides_of(spec_with(file, {"dim=32"})) ==
        std::vector<Words>{{"dim=32", "max_distance=8"}});
  CHECK(overrides_of(spec_with(file, {"--dim", "32,16"})).size() == 2);
  CHECK(spec_with(file).experiment->info.name == "long_term_decay");
}

TEST_CASE("Zipped keys go in step and stand where the first of them does") {
  const SweepSpec spec =
      spec_with(decay_line +
                "zip = [[\"dim\", \"distance\"]]\n[sweep]\ndim = [32, 64]\nmax_distance = [8, 16]\n"
                "distance = [1, 2]");
  CHECK(overrides_of(spec) == std::vector<Words>{{"dim=32", "max_distance=8", "distance=1"},
                                                 {"dim=32", "max_distance=16", "distance=1"},
                                                 {"dim=64", "max_distance=8", "distance=2"},
                                                 {"dim=64", "max_distance=16", "distance=2"}});
}

TEST_CASE("Where a swept parameter is not read, its values make one point") {
  // draws is read only while q and k are random.
  const Combinations all = combinations_of(
      spec_with(decay_line + "[sweep]\nassumption = [\"ones\", \"random\"]\ndraws = [2, 4, 8]"));
  CHECK(all.crossed == 6);
  REQUIRE(all.points.size() == 4);
  CHECK(all.points[0].swept.size() == 1);
  CHECK(all.points[1].swept.size() == 2);
}

TEST_CASE("A list of names is one value of a parameter that takes several") {
  CHECK(overrides_of(
            spec_with(decay_line + "[sweep]\nencoding = [\"alibi\", [\"rope\", \"alibi\"]]")) ==
        std::vector<Words>{{"encoding=alibi"}, {"encoding=rope+alibi"}});
  CHECK(overrides_of(spec_with(decay_line + "[params]\nencoding = [\"rope\", \"t5\"]")) ==
        std::vector<Words>{{"encoding=rope+t5"}});
}

TEST_CASE("Parameters of encodings may be written quoted or as tables") {
  const std::vector<Words> expected{{"rope.pairing=half_split"}};
  CHECK(overrides_of(spec_with(decay_line + "[params]\n\"rope.pairing\" = \"half_split\"")) ==
        expected);
  CHECK(overrides_of(spec_with(decay_line + "[params]\nrope.pairing = \"half_split\"")) ==
        expected);
}

TEST_CASE("A sweep file is refused with what, why and where") {
  CHECK_THAT(refusal_with("x = "), Contains("sweep.toml, line 1, column"));
  CHECK_THAT(refusal_with(""), Contains("names neither an experiment nor a parent"));
  CHECK_THAT(refusal_with("experiment = \"long_term_decya\""),
             Contains("did you mean long_term_decay?"));
  CHECK_THAT(refusal_with(decay_line + "repeat = 2"), Contains("did you mean repeats?"));
  CHECK_THAT(refusal_with(decay_line + "dim = 64"),
             Contains("dim: is not a key above [params] and [sweep]; choose one of parent, "));
  CHECK_THAT(refusal_with(decay_line + "repeats = 0"), Contains("whole number from 1"));
  CHECK_THAT(refusal_with(decay_line + "seed = \"a\""), Contains("whole number from 0"));
  CHECK_THAT(refusal_with(decay_line + "out = 3"),
             Contains("must be text in quotes; write out = \"…\"; correct line 2"));
  CHECK_THAT(refusal_with(decay_line + "[params]\ndmi = 64"), Contains("did you mean dim?"));
  CHECK_THAT(refusal_with(decay_line + "[params]\ndmi = 64"), Contains("correct line 3"));
  CHECK_THAT(refusal_with(decay_line + "[params]\ndim = 63"), Contains("dim=63"));
  CHECK_THAT(refusal_with(decay_line + "[params]\ndim = [64, 32]"),
             Contains("put lists under [sweep]"));
  CHECK_THAT(refusal_with(decay_line + "[params]\ndim = 1979-05-27"), Contains("neither text"));
  CHECK_THAT(refusal_with(decay_line + "[sweep]\ndim = []"), Contains("is an empty list"));
  CHECK_THAT(refusal_with(decay_line + "[sweep]\ndim = [64, 64]"), Contains("contains 64 twice"));
  CHECK_THAT(refusal_with(decay_line + "params = 3"), Contains("must be a section"));
  CHECK_THAT(refusal_with(decay_line + "zip = [[\"dim\", \"distance\"]]\n[sweep]\ndim = [32, 64]\n"
                                       "distance = [1, 2, 3]"),
             Contains("pairs 2 values of dim with 3 of distance"));
  CHECK_THAT(refusal_with(decay_line + "zip = [[\"dim\"]]"), Contains("names a single key to zip"));
  CHECK_THAT(refusal_with(decay_line + "zip = [[\"dim\", \"distance\"]]\n[sweep]\ndim = [32, 64]"),
             Contains("distance: is zipped but has no values"));
  CHECK_THAT(refusal_with("parent = \"roformer_figur_2\""),
             Contains("did you mean roformer_figure_2?"));
  CHECK_THAT(refusal_with("parent = \"roformer_figure_2\"\nexperiment = \"attention_map\""),
             Contains("differs from long_term_decay"));
  CHECK_THAT(refusal_with(decay_line + "[params]\ndraws = 4"),
             Contains("draws"));  // nothing reads it
}

TEST_CASE("Every preset that comes with Orrery spans points and has a description") {
  REQUIRE(preset_names().size() >= 2);
  for (const std::string& name : preset_names()) {
    INFO(name);
    const SweepSpec preset = preset_named(name);
    CHECK(preset.name == name);
    CHECK(!preset.description.empty());
    CHECK(preset_description(name) == preset.description);
    CHECK(!combinations_of(preset).points.empty());
  }
}

TEST_CASE("A name is an experiment, a preset or a file, and otherwise the nearest is told") {
  CHECK(sweep_spec_named("relative_invariance").axes.empty());
  CHECK(sweep_spec_named("roformer_figure_2").name == "roformer_figure_2");
  CHECK_THROWS_WITH(sweep_spec_named("decay_over_base"),
                    Contains("did you mean decay_over_bases?"));
  CHECK_THROWS_WITH(sweep_spec_named("none.toml"), Contains("No such file"));
}
