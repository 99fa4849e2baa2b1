#include "app/dialogs/help_sheets.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>
#include <string>

#include "app/shell/start.h"
#include "tests/app/fixture.h"

namespace orrery {

TEST_CASE("The whole sheet of shortcuts is seen in a window of 1280 by 800") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.type("?");
  desktop.frame(4);
  for (const std::string name : {"shortcut undo", "shortcut layout_small_multiples",
                                 "shortcut toggle_findings", "gesture Drop a file or folder"}) {
    INFO(name);
    const auto place = desktop.app().item_rects().find(name);
    REQUIRE(place);
    CHECK(place->y > 0);
    CHECK(place->bottom() < 790);
  }
}

}  // namespace orrery
