#include "core/errors.h"

#include <catch2/catch.hpp>
#include <string>

using namespace orrery;
using namespace std::string_literals;

TEST_CASE("An error says all of itself, whatever bytes the value has") {
  const UsageError error("a\0b"s, "is not a name", "write one");
  CHECK(std::string(error.what()) == "a\\x00b: is not a name; write one");
}
