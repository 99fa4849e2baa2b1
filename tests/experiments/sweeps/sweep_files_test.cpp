// Sweep files: one's own parents, and values that are drawn.
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
#include "tests/support/sweep_overrides.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
using orrery::test::overrides_of;
using Words = std::vector<std::string>;

namespace {

const std::string decay = "experiment = \"long_term_decay\"\n";

SweepSpec read_spec(const std::string& toml) { return parse_sweep(toml, "sweep.toml"); }

std::string refusal_of_file(const std::string& toml) {
  try {
    combinations_of(read_spec(toml));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("A file of one's own can be the parent, beside its child, and no parent of itself") {
  const TempFolder temp;
  temp.file("base.toml", decay + "[params]\ndim = 32\nmax_distance = 8\n");
  temp.file("child.toml", "parent = \"base.toml\"\n[params]\nmax_distance = 16\n");
  CHECK(overrides_of(sweep_spec_named((temp.path() / "child.toml").string())) ==
        std::vector<Words>{{"dim=32", "max_distance=16"}});
  temp.file("a.toml", "parent = \"b.toml\"\n");
  temp.file("b.toml", "parent = \"a.toml\"\n");
  CHECK_THROWS_WITH(sweep_spec_named((temp.path() / "a.toml").string()),
                    Contains("is a cycle of parents"));
}

TEST_CASE("A Latin hypercube has one draw in each part of each range, and goes by the seed") {
  SweepSpec spec = read_spec(decay +
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
  CHECK_THAT(refusal_of_file(decay + "[sweep]\nbase = \"uniform(10, 20)\""),
             Contains("add --draws"));
  CHECK_THAT(refusal_of_file(decay + "draws = 3\n[sweep]\nbase = [10, 20]"),
             Contains("no key that is drawn"));
  CHECK_THAT(refusal_of_file(decay + "draws = 3\n[sweep]\nbase = \"uniform(20, 10)\""),
             Contains("from a number to a larger one"));
  CHECK_THAT(refusal_of_file(decay + "draws = 3\n[sweep]\nbase = \"uniform(1)\""),
             Contains("is not a range"));
  CHECK_THAT(refusal_of_file(decay + "draws = 3\n[sweep]\nbase = \"uniform(0.5, 20)\""),
             Contains("is not a range of this parameter"));
}
