#include "core/params.h"

#include <catch2/catch.hpp>

#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

ParamSet example() {
  return ParamSet({
      {.key = "dim",
       .symbol = "d",
       .default_value = std::int64_t{128},
       .min = 2,
       .max = 4096,
       .multiple_of = 2},
      {.key = "base", .kind = ParamKind::real, .default_value = 10000.0, .min = 1.5, .max = 1e12},
      {.key = "causal", .kind = ParamKind::boolean, .default_value = false},
      {.key = "encoding",
       .kind = ParamKind::choice_list,
       .default_value = std::vector<std::string>{"rope"},
       .choices = {{"none", ""}, {"rope", ""}, {"alibi", ""}}},
      {.key = "rope.pairing",
       .kind = ParamKind::choice,
       .default_value = std::string("interleaved"),
       .choices = {{"interleaved", ""}, {"half_split", ""}},
       .used_when = Condition{"encoding", {"rope"}}},
  });
}

}  // namespace

TEST_CASE("Every value reads back from its own text") {
  ParamSet set = example();
  set.set("dim", "64");
  set.set("base", "123456.789");
  set.set("causal", "yes");
  set.set("encoding", "rope+alibi");
  ParamSet copy = example();
  for (const ParamSpec& spec : set.specs()) copy.set(spec.key, set.to_text(spec.key));
  CHECK(copy == set);
}

TEST_CASE("A whole number may be written with an exponent") {
  ParamSet set = example();
  set.set("dim", "1e3");
  CHECK(set.integer("dim") == 1000);
}

TEST_CASE("A refused value leaves the set as it was and names value, rule and remedy") {
  ParamSet set = example();
  CHECK_THROWS_WITH(set.set("dim", "63"), "dim=63: must be even; try dim=62 or dim=64");
  CHECK_THROWS_WITH(set.set("dim", "0"), "dim=0: must lie in [2, 4096]; try dim=2");
  CHECK_THROWS_WITH(set.set("dim", "6.5"), Contains("must be a whole number"));
  CHECK_THROWS_WITH(set.set("base", "nan"), Contains("must lie in [1.5, 1e+12]"));
  CHECK_THROWS_WITH(set.set("base", "12x"), Contains("must be a number"));
  CHECK_THROWS_WITH(set.set("causal", "maybe"), Contains("true or false"));
  CHECK_THROWS_WITH(set.set("encoding", "rpoe"), Contains("did you mean encoding=rope?"));
  CHECK_THROWS_WITH(set.set("encoding", ""), Contains("at least one"));
  CHECK_THROWS_WITH(set.set("encoding", "rope+rope"), Contains("twice"));
  CHECK(set == example());
}

TEST_CASE("An unknown key is refused with the nearest one") {
  ParamSet set = example();
  CHECK_THROWS_WITH(set.set("bsae", "1"), "bsae: is not a parameter here; did you mean base?");
  CHECK_THROWS_AS(set.set("qqqqqqqq", "1"), UsageError);
}

TEST_CASE("A key that nothing would read is refused") {
  ParamSet set = example();
  set.set("encoding", "alibi");
  set.set("rope.pairing", "half_split");
  CHECK_THROWS_WITH(set.require_all_set_are_used(), Contains("is read only when encoding is rope"));
  set.set("encoding", "alibi+rope");
  CHECK_NOTHROW(set.require_all_set_are_used());
}

TEST_CASE("Overrides are the used values that differ from the defaults") {
  ParamSet set = example();
  CHECK(set.overrides().empty());
  set.set("base", "500000");
  set.set("dim", "128");
  CHECK(set.overrides() == std::vector<std::string>{"base=500000"});
}

TEST_CASE("A list that may be empty is stated only when it names something") {
  ParamSet set({{.key = "muted",
                 .kind = ParamKind::choice_list,
                 .default_value = std::vector<std::string>{},
                 .choices = {{"low", ""}, {"high", ""}},
                 .may_be_empty = true}});
  CHECK_FALSE(set.is_stated("muted"));
  set.set("muted", "low+high");
  CHECK(set.is_stated("muted"));
  CHECK(set.overrides() == std::vector<std::string>{"muted=low+high"});
  set.set("muted", "");
  CHECK_FALSE(set.is_stated("muted"));
  CHECK(set.is_default("muted"));
  CHECK_THROWS_WITH(set.set("muted", "middle"), Contains("must be one of low, high"));
  CHECK_THROWS_WITH(example().set("encoding", ""), Contains("must name at least one"));
}

TEST_CASE("Numbers joined by + read back, those with exponents too") {
  ParamSet set({{.key = "factors",
                 .kind = ParamKind::number_list,
                 .default_value = std::vector<double>{},
                 .min = 1e-300,
                 .max = 1e300,
                 .may_be_empty = true}});
  CHECK_FALSE(set.is_stated("factors"));
  const std::vector<double> numbers{1, 1.0299999713897705, 1e+30, 2e-7, 0.1};
  set.set_value("factors", numbers);
  CHECK(set.to_text("factors") == "1+1.0299999713897705+1e+30+2e-07+0.1");
  set.set("factors", set.to_text("factors"));
  CHECK(set.numbers("factors") == numbers);
  CHECK(set.is_stated("factors"));
  for (const char* wrong : {"1+", "+1", "1++2", "1,2", "1+x", "1 + 2", "1e", "1e+"})
    CHECK_THROWS_WITH(set.set("factors", wrong), Contains("must be numbers joined by +"));
  for (const char* wrong : {"1+0", "-1", "nan", "1+inf", "1e301"})
    CHECK_THROWS_WITH(set.set("factors", wrong), Contains("must lie in"));
  CHECK(set.numbers("factors") == numbers);
  set.set("factors", "");
  CHECK(set.is_default("factors"));
}

TEST_CASE("A default that captions leave out is stated once it is another, and reads back") {
  ParamSet set({{.key = "stage.angle",
                 .kind = ParamKind::choice,
                 .default_value = std::string("pipeline"),
                 .choices = {{"pipeline", ""}, {"bf16", ""}},
                 .stated_if_set = true}});
  CHECK_FALSE(set.is_stated("stage.angle"));
  CHECK(set.overrides().empty());
  set.set("stage.angle", "bf16");
  CHECK(set.is_stated("stage.angle"));
  CHECK(set.overrides() == std::vector<std::string>{"stage.angle=bf16"});
}

TEST_CASE("Keys and choices that were given up are refused with what replaces them") {
  ParamSet set({{.key = "precision",
                 .kind = ParamKind::choice,
                 .default_value = std::string("exact"),
                 .choices = {{"exact", ""}, {"eager", ""}},
                 .retired_keys = {{"rounded_stages", "give stages formats of their own"}},
                 .retired_values = {{"fp64", "precision=exact replaces it"}}}});
  CHECK_THROWS_WITH(
      set.set("precision", "fp64"),
      Contains("precision=fp64: must be one of exact, eager; precision=exact replaces it"));
  CHECK_THROWS_WITH(set.set("precision", "eagr"), Contains("did you mean precision=eager?"));
  CHECK_THROWS_WITH(
      set.set("rounded_stages", "qk"),
      Contains("rounded_stages: is no longer a parameter; give stages formats of their own"));
}
