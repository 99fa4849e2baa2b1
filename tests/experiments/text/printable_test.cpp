#include "experiments/text/printable.h"
#include "tests/support/layers.h"

#include <catch2/catch.hpp>
#include <string>

using namespace orrery;

TEST_CASE("A name of any script is shown as it is") {
  CHECK(printable("layer0.θ/層") == "layer0.θ/層");
  CHECK(in_quotes("") == "''");
}

TEST_CASE("What cannot be printed is shown in hexadecimal") {
  CHECK(in_quotes("a\x1b[2J\n") == "'a\\x1b[2J\\x0a'");
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\x80\xFF") == "\\x80\\xff");
  CHECK(printable("\u202Ebackwards") == "\\xe2\\x80\\xaebackwards");
}

TEST_CASE("A long text is cut between its characters") {
  std::string forty;
  for (int i = 0; i < 40; ++i) forty += "𝄞";
  CHECK(printable(forty) == forty);
  CHECK(in_quotes(forty + "θ") == "'" + forty + "…'");
  CHECK(printable(std::string(1 << 20, 'k')) == std::string(40, 'k') + "…");
}
