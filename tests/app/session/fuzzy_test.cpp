#include "app/session/actions.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

TEST_CASE("Letters match in their order only") {
  CHECK(fuzzy_score("", "anything"));
  CHECK(fuzzy_score("ltd", "Long-term decay"));
  CHECK(fuzzy_score("DECAY", "Long-term decay"));
  CHECK(fuzzy_score("decay long", "Long-term decay"));
  CHECK_FALSE(fuzzy_score("dtl", "term long"));
  CHECK_FALSE(fuzzy_score("decayx", "Long-term decay"));
  CHECK_FALSE(fuzzy_score("a", ""));
}

TEST_CASE("What is meant comes first") {
  const auto better = [](const char* typed, const char* first, const char* second) {
    return *fuzzy_score(typed, first) > *fuzzy_score(typed, second);
  };
  CHECK(better("dim", "dim", "distance to middle"));
  CHECK(better("map", "Attention map", "Make a plot"));
  CHECK(better("rope", "rope", "rotary on paper"));
  CHECK(better("cs", "Copy settings", "Basics"));
  CHECK(better("base", "base", "database"));
}

TEST_CASE("The first place that a word could start at is not always the best") {
  CHECK(*fuzzy_score("dec", "Dotted equal decay") > *fuzzy_score("dec", "Dotted equal cut"));
}

}  // namespace
}  // namespace orrery
