#include "app/player/sheets.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>

#include "app/shell/start.h"
#include "tests/app/fixture.h"

namespace orrery {

TEST_CASE("F1 shows the manual: a topic is a click or an arrow away, and Escape closes it") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  const auto shows = [&](const char* name) {
    return desktop.app().item_rects().find(name).has_value();
  };
  desktop.settle();
  desktop.press(GLFW_KEY_F1);
  desktop.frame(4);
  REQUIRE(shows("page desktop"));
  for (const Topic& topic : topics()) {
    INFO(topic.name);
    const auto place = desktop.app().item_rects().find("topic " + topic.name);
    REQUIRE(place);
    CHECK(place->bottom() < 790);
    desktop.click(desktop.item("topic " + topic.name));
    desktop.frame(2);
    CHECK(shows(("page " + topic.name).c_str()));
  }
  desktop.press(GLFW_KEY_UP);
  desktop.frame(2);
  CHECK(shows(("page " + topics()[topics().size() - 2].name).c_str()));
  desktop.press(GLFW_KEY_ESCAPE);
  desktop.frame(4);
  CHECK_FALSE(shows("topic sweeps"));
}

TEST_CASE("In a lesson F1 shows the page about lessons") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.app().open_lesson("decay");
  desktop.settle();
  desktop.press(GLFW_KEY_F1);
  desktop.frame(4);
  CHECK(desktop.app().item_rects().find("page lessons"));
}

}  // namespace orrery
