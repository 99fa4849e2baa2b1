#include "app/shell/timers.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>

#include "app/shell/start.h"
#include "tests/app/fixture.h"

namespace orrery {

TEST_CASE("Three seconds after the last move the mouse rests; a key or a button ends the rest") {
  RestTimer timer;
  timer.update({1, 1}, false, 10.0);
  CHECK_FALSE(timer.is_resting());
  CHECK(timer.due_in(11.0) == 2.0);
  timer.update({1, 1}, false, 12.9);
  CHECK_FALSE(timer.is_resting());
  timer.update({1, 1}, false, 13.0);
  CHECK(timer.is_resting());
  CHECK(timer.due_in(13.0) < 0);
  timer.update({1, 1}, true, 20.0);
  CHECK_FALSE(timer.is_resting());
  timer.update({1, 2}, false, 22.0);
  CHECK(timer.due_in(22.0) == 3.0);
}

TEST_CASE("In projector mode the controls leave while the mouse rests, and the figure stays") {
  const auto session = start_session({.view = "long_term_decay"}, {});
  session->look.projector = true;
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.move_to({600, 300});
  REQUIRE(desktop.app().item_rects().find("param base"));
  const Rect before = desktop.app().item_rects().figure("decay_scores")->plot;
  CHECK(desktop.app().due_in() > 0);
  desktop.frame(4 * 60);
  CHECK_FALSE(desktop.app().item_rects().find("param base"));
  CHECK(desktop.app().due_in() < 0);
  CHECK(desktop.app().item_rects().figure("decay_scores")->plot == before);
  desktop.move_to({601, 300});
  CHECK(desktop.app().item_rects().find("param base"));
}

TEST_CASE("Outside of projector mode the controls stay") {
  const auto session = start_session({.view = "long_term_decay"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.frame(4 * 60);
  CHECK(desktop.app().item_rects().find("param base"));
}

}  // namespace orrery
