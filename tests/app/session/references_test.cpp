#include "app/session/references.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

using Params = Settings;

Provenance of(Params params) {
  return {.experiment = "long_term_decay", .params = std::move(params)};
}

std::shared_ptr<const Result> result_of(Params params) {
  auto result = std::make_shared<Result>();
  result->provenance = of(std::move(params));
  return result;
}

std::shared_ptr<const Result> with_base(const char* base) { return result_of({{"base", base}}); }

TEST_CASE("A reference is named by what sets it apart, and by nothing else") {
  const Provenance shown =
      of({{"encoding", "rope"}, {"dim", "128"}, {"base", "10000"}, {"max_distance", "256"}});
  const auto apart = contrast_of(
      shown,
      of({{"encoding", "rope"}, {"dim", "64"}, {"base", "500000"}, {"max_distance", "256"}}));
  CHECK(reference_name(apart) == "dim 64 · base 500\u2009000");
  CHECK(short_reference_name(apart) == "64 · 500\u2009000");
  CHECK(apart.shown == "dim 128 · base 10\u2009000");
  CHECK(apart.shown_encodings.empty());
  CHECK(reference_name(contrast_of(shown, shown)) == "same settings");
}

TEST_CASE("Encodings are called by their names, and what only one of them reads is no difference") {
  const auto apart =
      contrast_of(of({{"encoding", "alibi"}, {"dim", "64"}, {"alibi.form", "symmetric"}}),
                  of({{"encoding", "rope+transformer_xl"}, {"dim", "64"}, {"rope.fraction", "1"}}));
  CHECK(reference_name(apart) == "RoPE + Transformer-XL");
  CHECK(apart.shown_encodings == "ALiBi");
  CHECK(apart.shown.empty());
  CHECK_FALSE(apart.same());
  CHECK(encoding_title("of_the_future") == "of_the_future");
}

TEST_CASE("Values are written for people") {
  const auto name = [](const char* key, const char* value) {
    return reference_name(contrast_of(of({{key, "?"}}), of({{key, value}})));
  };
  CHECK(name("max_distance", "512") == "max distance 512");
  CHECK(name("rope.scaling", "yarn") == "rope scaling yarn");
  CHECK(name("causal", "false") == "causal off");
  CHECK(name("causal", "true") == "causal on");
  CHECK(name("text", "/home/me/essay.txt") == "text essay.txt");
  CHECK(name("q", "") == "q none");
  CHECK(name("base", "1e-05") == "base 1×10⁻⁵");
  CHECK(name("seed", "-1") == "seed −1");
}

TEST_CASE("Four references are kept; a fifth takes the place of the oldest and says so") {
  ViewState shown;
  CHECK(pin_reference(shown, nullptr) == "There is no result to pin yet");
  for (const char* base : {"1", "2", "3", "4"})
    CHECK(pin_reference(shown, with_base(base)) ==
          std::string("Pinned as reference ") + base + " of at most 4");
  const auto second = shown.references[1];
  CHECK(pin_reference(shown, with_base("5")) == "Pinned in place of the oldest reference, base 1");
  REQUIRE(shown.references.size() == max_references);
  CHECK(shown.references.front() == second);
}

TEST_CASE("The same settings are pinned once, and are then the last") {
  ViewState shown;
  const auto first = with_base("1"), second = with_base("2");
  pin_reference(shown, first);
  pin_reference(shown, second);
  CHECK(pin_reference(shown, first) == "These settings are pinned already");
  CHECK(shown.references == std::vector{second, first});
}

TEST_CASE("Without a reference there is no difference from it") {
  ViewState shown;
  pin_reference(shown, with_base("1"));
  pin_reference(shown, with_base("2"));
  shown.difference = true;
  unpin_reference(shown, 7);
  unpin_reference(shown, 0);
  CHECK(shown.difference);
  CHECK(shown.references.size() == 1);
  unpin_reference(shown, 0);
  CHECK(shown.references.empty());
  CHECK_FALSE(shown.difference);
}

}  // namespace
}  // namespace orrery
