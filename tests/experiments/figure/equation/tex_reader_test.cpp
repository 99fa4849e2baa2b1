#include "experiments/figure/equation/tex_reader.h"

#include <catch2/catch.hpp>

#include "core/errors.h"

namespace orrery {
namespace {

TEST_CASE("Commands are letters after a backslash, or one other character") {
  TexReader in(R"(\theta_t\,x)");
  CHECK(in.peek_command() == "theta");
  CHECK(in.position() == 0);
  CHECK(in.take_command() == "theta");
  CHECK(in.accept("_"));
  CHECK_FALSE(in.accept("u"));
  CHECK(in.take() == "t");
  CHECK(in.take_command() == ",");
  CHECK(in.peek_command().empty());
  CHECK(in.take() == "x");
  CHECK(in.done());
}

TEST_CASE("Numbers contain points only between digits, and characters may have several bytes") {
  TexReader in("1.25.θ");
  CHECK(in.is_at_digit());
  CHECK(in.take_number() == "1.25");
  CHECK(in.take() == ".");
  CHECK(in.peek() == "θ");
  CHECK(in.take() == "θ");
  CHECK(in.done());
}

TEST_CASE("Words in braces keep their spaces") {
  TexReader in("  {for all n}rest");
  CHECK(in.take_words("text") == "for all n");
  CHECK(in.is_at("rest"));
}

TEST_CASE("Errors count positions from 1") {
  TexReader in("ab");
  in.take();
  CHECK_THROWS_WITH(in.refuse("b", "is wrong", "remove it"),
                    "formula, character 2: b: is wrong; remove it");
  CHECK_THROWS_WITH(in.refuse_at(0, "a", "is wrong", "remove it"),
                    "formula, character 1: a: is wrong; remove it");
  CHECK_THROWS_AS(in.take_words("text"), UsageError);
}

}  // namespace
}  // namespace orrery
