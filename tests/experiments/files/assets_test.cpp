#include "experiments/files/assets.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "core/errors.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("Assets are found where they are built from, and ORRERY_ASSETS goes first") {
  const TempFolder folder;
  const auto mine = folder.file("texts/the_orrery.txt", "mine");
  ::setenv("ORRERY_ASSETS", folder.path().c_str(), 1);
  const auto chosen = asset_path("texts/the_orrery.txt");
  ::unsetenv("ORRERY_ASSETS");
  CHECK(chosen == mine);
  CHECK(asset_path("texts/the_orrery.txt") != mine);
}

TEST_CASE("A missing asset is refused with the folders that were looked in") {
  CHECK_THROWS_AS(asset_path("texts/none.txt"), IoError);
  CHECK_THROWS_WITH(asset_path("texts/none.txt"),
                    Contains("texts/none.txt: does not come with Orrery; looked in ") &&
                        Contains("share/orrery") && Contains("set ORRERY_ASSETS"));
}
