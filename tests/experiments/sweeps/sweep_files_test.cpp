// Sweep files in YAML and JSON, one's own parents, and values that are drawn.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/sweep_spec.h"
#include "tests/support/layers.h"
#include "tests/support/sweep_overrides.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
using orrery::test::overrides_of;
using Words = std::vector<std::string>;

namespace {

const std::string decay = "experiment = \"long_term_decay\"\n";

SweepSpec spec_from(const std::string& toml) { return parse_sweep(toml, "sweep.toml"); }

std::string refusal(const std::string& toml) {
  try {
    combinations_of(spec_from(toml));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("YAML and JSON say what TOML says, in the written order") {
  const TempFolder temp;
  temp.file("a.toml", decay +
                          "repeats = 2\n[params]\nassumption = \"equal\"\nrope.fraction = 0.5\n"
                          "[sweep]\nmax_distance = [8, 16]\ndim = \"pow2(5..6)\"\n"
                          "encoding = [\"rope\", [\"rope\", \"alibi\"]]\n");
  temp.file("b.yaml",
            "# a comment\nexperiment: long_term_decay\nrepeats: 2\nparams:\n  assumption: equal\n"
            "  rope: {fraction: 0.5}\nsweep:\n  max_distance: [8, 16]\n  dim: pow2(5..6)\n"
            "  encoding:\n    - rope\n    - [rope, alibi]\n");
  temp.file("c.json",
            "{\"experiment\": \"long_term_decay\", \"repeats\": 2,\n"
            "\"params\": {\"assumption\": \"equal\", \"rope.fraction\": 5e-1},\n"
            "\"sweep\": {\"max_distance\": [8, 16], \"dim\": \"pow2(5..6)\",\n"
            "\"encoding\": [\"rope\", [\"rope\", \"alibi\"]]}}");
  const SweepSpec toml = sweep_spec_named((temp.path() / "a.toml").string());
  for (const char* name : {"b.yaml", "c.json"}) {
    const SweepSpec other = sweep_spec_named((temp.path() / name).string());
    CHECK(other.repeats == 2);
    CHECK(overrides_of(other) == overrides_of(toml));
    CHECK(make_plan(other, {}).points.front().id == make_plan(toml, {}).points.front().id);
  }
}

TEST_CASE("What is wrong in YAML or JSON is told with its place") {
  const TempFolder temp;
  const auto refusal_of = [&](const char* name, const std::string& text) -> std::string {
    temp.file(name, text);
    try {
      sweep_spec_named((temp.path() / name).string());
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK_THAT(refusal_of("a.yaml", "experiment: [rope\n"), Contains("is neither YAML nor JSON"));
  for (const char* endless : {"a: &x [1, *x]\n", "a: &x {b: *x}\n"})
    CHECK_THAT(refusal_of("a.yaml", endless),
               Contains("a.yaml, line 1, column") && Contains("is more than 16 levels deep"));
  std::string doubled = "a0: &a0 {}\n";
  for (int i = 1; i < 14; ++i)
    doubled += fmt::format("a{0}: &a{0} {{b: *a{1}, c: *a{1}, d: *a{1}, e: *a{1}}}\n", i, i - 1);
  CHECK_THAT(refusal_of("a.yaml", doubled), Contains("is more than a MiB"));
  CHECK_THAT(refusal_of("a.json", "{\"repeats\": 1, \"repeats\": 2}"),
             Contains("line 1") && Contains("gives repeats again"));
  CHECK_THAT(refusal_of("b.json", "[1, 2]"), Contains("is not a list of keys"));
  CHECK_THAT(refusal_of("b.yaml", "experiment: long_term_decay\nparams: {dim: -2}\n"),
             Contains("correct dim"));
  CHECK_THAT(refusal_of("c.yaml", "experiment: long_term_decay\nparams: {dim: }\n"),
             Contains("is neither a value nor a list"));
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i)
    bomb +=
        fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  CHECK_THAT(refusal_of("bomb.yaml", bomb), Contains("is more than a MiB"));
}

TEST_CASE("A file of one's own can be the parent, beside its child, and no parent of itself") {
  const TempFolder temp;
  temp.file("base.toml", decay + "[params]\ndim = 32\nmax_distance = 8\n");
  temp.file("child.yaml", "parent: base.toml\nparams: {max_distance: 16}\n");
  CHECK(overrides_of(sweep_spec_named((temp.path() / "child.yaml").string())) ==
        std::vector<Words>{{"dim=32", "max_distance=16"}});
  temp.file("a.toml", "parent = \"b.json\"\n");
  temp.file("b.json", "{\"parent\": \"a.toml\"}");
  CHECK_THROWS_WITH(sweep_spec_named((temp.path() / "a.toml").string()),
                    Contains("is a cycle of parents"));
}

TEST_CASE("A Latin hypercube has one draw in each part of each range, and goes by the seed") {
  SweepSpec spec = spec_from(decay +
                             "draws = 20\n[sweep]\nmax_distance = \"uniform(1, 201)\"\n"
                             "base = \"loguniform(10, 1000)\"");
  const Combinations all = combinations_of(spec);
  REQUIRE(all.points.size() == 20);
  std::set<int> parts_of_distance, parts_of_base;
  for (const Combination& point : all.points) {
    const auto distance = static_cast<double>(point.params.integer("max_distance"));
    parts_of_distance.insert(static_cast<int>(std::min(19.0, (distance - 1.0) / 10.0)));
    parts_of_base.insert(static_cast<int>(std::log10(point.params.real("base") / 10.0) * 10.0));
  }
  CHECK(parts_of_distance.size() >= 15);  // a whole number may round into the next part
  CHECK(parts_of_base.size() == 20);
  const auto before = overrides_of(spec);
  CHECK(overrides_of(spec) == before);
  spec.seed = 1;
  CHECK(overrides_of(spec) != before);
  spec.latin = false;
  CHECK(overrides_of(spec).size() == 20);
}

TEST_CASE("Draws are refused without their number, and their number without draws") {
  CHECK_THAT(refusal(decay + "[sweep]\nbase = \"uniform(10, 20)\""), Contains("add --draws"));
  CHECK_THAT(refusal(decay + "draws = 3\n[sweep]\nbase = [10, 20]"),
             Contains("no key that is drawn"));
  CHECK_THAT(refusal(decay + "draws = 3\n[sweep]\nbase = \"uniform(20, 10)\""),
             Contains("from a number to a larger one"));
  CHECK_THAT(refusal(decay + "draws = 3\n[sweep]\nbase = \"uniform(1)\""),
             Contains("is not a range"));
  CHECK_THAT(refusal(decay + "draws = 3\n[sweep]\nbase = \"uniform(0.5, 20)\""),
             Contains("is not a range of this parameter"));
}
