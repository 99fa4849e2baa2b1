#include "app/session/folder_listing.h"

#include <catch2/catch.hpp>

namespace orrery {

TEST_CASE("A typed path is a folder and the beginning of a name in it") {
  const auto split = [](const char* typed) {
    const TypedPath path = typed_path(typed, "/here");
    return path.folder.string() + "|" + path.beginning;
  };
  CHECK(split("/data/ru") == "/data|ru");
  CHECK(split("/data/run/") == "/data/run|");
  CHECK(split("ru") == "/here|ru");
  CHECK(split("a/b") == "/here/a|b");
  CHECK(split("/") == "/|");
  CHECK(split("~x") == "/here|~x");
  const char* home = std::getenv("HOME");
  if (home) CHECK(split("~/q") == std::string(home) + "|q");
}

TEST_CASE("Names are completed by what they have in common, in either case") {
  CHECK(completed("ru", {"run_1", "run_2", "other"}) == "run_");
  CHECK(completed("RU", {"run_1"}) == "run_1");
  CHECK(completed("x", {"run_1"}) == "x");
  CHECK(completed("", {"ab", "ac"}) == "a");
  CHECK(completed("r", {"run", "Run"}) == "r");
}

}  // namespace orrery
