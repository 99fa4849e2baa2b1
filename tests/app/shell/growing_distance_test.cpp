#include "app/shell/timers.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "app/shell/start.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

double held(const Session& session) { return session.links.held().value_or(0.0); }

}  // namespace

TEST_CASE("Space lets the distance grow: it goes to the longest, begins anew, and stops") {
  const auto session =
      start_session({.view = "score_spectrogram", .overrides = {"max_distance=64"}}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  CHECK(desktop.app().due_in() < 0);
  desktop.press(GLFW_KEY_SPACE);
  double longest = 0;
  bool began_anew = false;
  for (int frame = 0; frame < 900; ++frame) {
    const double before = held(*session);
    desktop.frame();
    began_anew = began_anew || held(*session) < before;
    longest = std::max(longest, held(*session));
  }
  CHECK(desktop.app().due_in() == 0);
  CHECK(began_anew);
  CHECK(longest <= 64);
  CHECK(longest > 56);
  desktop.press(GLFW_KEY_SPACE);
  desktop.settle();
  const double stopped = held(*session);
  desktop.frame(30);
  CHECK(held(*session) == stopped);
}

TEST_CASE("Space pauses a training, whose curves stand, and lets it go on") {
  const auto session = start_session({.view = "training", .overrides = {"steps=100000"}}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  const auto steps_taken = [&] {
    const auto result = session->current().result;
    return result ? std::get<LinePlot>(result->figures.front().content).series.front().x.back() : 0;
  };
  const auto frames_until = [&](const auto& holds) {
    for (int frame = 0; frame < 4000 && !holds(); ++frame) {
      desktop.frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return holds();
  };
  REQUIRE(frames_until([&] { return steps_taken() > 0 && session->status().seconds > 0.3; }));
  desktop.press(GLFW_KEY_SPACE);
  REQUIRE(session->status().paused);
  CHECK_FALSE(session->busy());
  // The steps that are being taken end first.
  double seconds = 0;
  REQUIRE(frames_until([&] {
    const double before = std::exchange(seconds, session->status().seconds);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return before == seconds;
  }));
  desktop.frame(2);
  const double steps = steps_taken();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  desktop.frame(5);
  CHECK(session->status().seconds == seconds);
  CHECK(steps_taken() == steps);
  CHECK(desktop.app().due_in() < 0);  // the distance does not grow
  desktop.press(GLFW_KEY_SPACE);
  CHECK_FALSE(session->status().paused);
  CHECK(frames_until([&] { return steps_taken() > steps; }));
  session->stop();
}

TEST_CASE("A full stop and a comma go one token on and back, from the distance that is set") {
  const auto session =
      start_session({.view = "score_spectrogram", .overrides = {"distance=20"}}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.type(".");
  CHECK(held(*session) == 21);
  desktop.type(",");
  desktop.type(",");
  CHECK(held(*session) == 19);
}

TEST_CASE("The curve and the map of one view have their axes in line") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  const FigureLayout* curve = desktop.app().item_rects().figure("mean_logit");
  const FigureLayout* map = desktop.app().item_rects().figure("parts_rope");
  REQUIRE(curve);
  REQUIRE(map);
  CHECK(curve->plot.x == Approx(map->plot.x).margin(0.6));
  CHECK(curve->plot.right() == Approx(map->plot.right()).margin(0.6));
  for (const double r : {2.0, 100.0, 20000.0})
    CHECK(curve->x.to_canvas(r) == Approx(map->x.to_canvas(r)).margin(2));
}

}  // namespace orrery
