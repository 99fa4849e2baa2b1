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

TEST_CASE("A message keeps its lines and letters, and loses its controls") {
  CHECK(without_controls("two\nlines, θ and 中") == "two\nlines, θ and 中");
  CHECK(without_controls("a\x1b[2Jb\r\t") == "a\\x1b[2Jb\\x0d\\x09");
  CHECK(without_controls("\xe2\x80\xae right to left, \xff") ==
        "\\xe2\\x80\\xae right to left, \\xff");
  CHECK(without_controls(std::string(100, 'x')).size() == 100);
}
