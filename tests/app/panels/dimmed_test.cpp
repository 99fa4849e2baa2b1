// Controls that change nothing on screen are pale, say why, and still work.
#include "app/panels/param_panel.h"

#include <catch2/catch.hpp>

#include "app/shell/start.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

TEST_CASE("A control is dimmed while no figure on screen depends on it") {
  const auto session = start_session({.view = "long_term_decay"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  REQUIRE(session->set("assumption", "random"));
  session->shown().layout = ViewLayout::single;
  session->select_figure("decay_bound");
  desktop.settle();
  CHECK(why_ignored(*session, "draws") == "Changes nothing in the figure on screen.");
  CHECK(why_ignored(*session, "base").empty());
  session->select_figure("decay_scores");
  desktop.settle();
  CHECK(why_ignored(*session, "draws").empty());
}

TEST_CASE("A control that one of several figures depends on is not dimmed") {
  const auto session = start_session({.view = "score_spectrogram"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  REQUIRE(session->on_screen.size() > 1);
  CHECK(why_ignored(*session, "seed") == "Changes nothing in the figures on screen.");
  CHECK(why_ignored(*session, "distance").empty());
}

TEST_CASE("A dimmed control can be used") {
  const auto session = start_session({.view = "score_spectrogram"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  REQUIRE_FALSE(why_ignored(*session, "heads").empty());
  desktop.drag(desktop.item("param heads", 0.1), desktop.item("param heads", 0.6));
  CHECK(session->current().params.integer("heads") > 100);
}

}  // namespace
}  // namespace orrery
