#include "experiments/lessons/library.h"

#include <catch2/catch.hpp>

#include "core/errors.h"
#include "experiments/lessons/step_state.h"
#include "experiments/model/progress.h"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("Every table and figure of the paper has its card") {
  for (const char* name : {"figure-1", "figure-2", "figure-3", "section-2-3", "table-1", "table-2",
                           "table-3", "table-4", "table-5"})
    CHECK_FALSE(card_named(name).caveats.empty());
  CHECK(card_named("table-2").rows.at(1).at(5) == "86.4");
  CHECK(command_of(card_named("figure-2")) == "orrery run long_term_decay dim=128 base=10000");
  CHECK_THROWS_WITH(card_named("table-6"), Contains("did you mean table-"));
}

TEST_CASE("A card that cannot be right is refused") {
  const std::string head =
      "[[card]]\nname = \"a\"\ntitle = \"t\"\nsays = \"s\"\ncaveats = [\"c\"]\n";
  CHECK(parse_cards(head).size() == 1);
  CHECK_THROWS_WITH(parse_cards(head + "header = [\"x\"]\nrows = [[\"1\", \"2\"]]\n"),
                    Contains("a row of 2 cells"));
  CHECK_THROWS_WITH(parse_cards(head + "experiment = \"rotatoin\"\n"), Contains("rotation"));
  CHECK_THROWS_WITH(parse_cards(head + "experiment = \"rotation\"\nwords = [\"dim=3\"]\n"),
                    Contains("dim=3"));
  CHECK_THROWS_WITH(parse_cards(head + "note = \"x\"\n"), Contains("is not a key of [card]"));
  CHECK_THROWS_AS(parse_cards("[[card\n"), DataError);
}
