#include "app/views/gestures.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "app/session/session_toml.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

using Names = std::vector<std::string>;

/// Long-term decay with one figure on screen.
struct Decay {
  std::unique_ptr<Session> session = start_session({.view = "long_term_decay"}, {});
  test::NullDesktop desktop{*session, 1280, 800};
  Decay() {
    session->shown().layout = ViewLayout::single;
    session->select_figure("decay_bound");
    desktop.settle();
  }
  Names ghosts() const {
    Names names;
    for (const auto& entry : desktop.app().item_rects().figure("decay_bound")->ghost_names)
      names.push_back(entry.series);
    return names;
  }
};

TEST_CASE("The curve from before a drag stays until the next click") {
  Decay decay;
  const auto before = session_text(document_of(*decay.session));
  decay.desktop.drag(decay.desktop.item("param base", 0.4), decay.desktop.item("param base", 0.7));
  decay.desktop.settle();
  CHECK(decay.ghosts() == Names{"base 10\u2009000"});
  decay.desktop.move_to({5, 5});
  decay.desktop.frame(5);
  CHECK(decay.ghosts() == Names{"base 10\u2009000"});
  CHECK(decay.session->current().shown.references.empty());
  CHECK(decay.desktop.app().history().undo_text().starts_with("base = "));
  decay.session->set("base", "10000");
  decay.desktop.settle();
  CHECK(decay.ghosts().empty());  // nothing differs any more
  CHECK(session_text(document_of(*decay.session)) == before);
  decay.session->set("base", "500");
  decay.desktop.settle();
  CHECK(decay.ghosts() == Names{"base 10\u2009000"});
  decay.desktop.click({5, 5});
  decay.desktop.frame(2);
  CHECK(decay.ghosts().empty());
}

TEST_CASE("While a slider is dragged, the curve from before is there") {
  Decay decay;
  const Point from = decay.desktop.item("param base", 0.4);
  const Point to = decay.desktop.item("param base", 0.8);
  decay.desktop.move_to(from);
  shim::inject_mouse_button(decay.desktop.io(), 0, true);
  decay.desktop.frame(2);
  decay.desktop.move_to(to);
  decay.desktop.settle();
  CHECK(decay.ghosts() == Names{"base 10\u2009000"});
  shim::inject_mouse_button(decay.desktop.io(), 0, false);
  decay.desktop.frame(3);
  CHECK(decay.ghosts() == Names{"base 10\u2009000"});
}

TEST_CASE("A dragged reference line leaves what was before it") {
  const auto session = start_session({.view = "equal_half_distance"}, {});
  test::NullDesktop desktop(*session, 1600, 1000);
  desktop.settle();
  const auto frame = [&] { return *desktop.app().item_rects().figure("equal_half_distance"); };
  const Point from{std::round(frame().x.to_canvas(64)), desktop.in_figure("equal_half_distance").y};
  desktop.drag(from, {from.x + 60, from.y});
  desktop.settle();
  REQUIRE(session->current().params.integer("half_distance") > 64);
  const auto names = frame().ghost_names;
  CHECK(std::any_of(names.begin(), names.end(),
                    [](const auto& entry) { return entry.series.ends_with("half distance 64"); }));
}

TEST_CASE("A line that changes no curve leaves none") {
  Decay decay;
  const FigureLayout& frame = *decay.desktop.app().item_rects().figure("decay_bound");
  const Point from{std::round(frame.x.to_canvas(10)), decay.desktop.in_figure("decay_bound").y};
  decay.desktop.drag(from, {from.x + 60, from.y});
  decay.desktop.settle();
  REQUIRE(decay.session->current().params.integer("distance") > 10);
  CHECK(decay.ghosts().empty());
}

TEST_CASE("A control that is clicked, not dragged, leaves nothing") {
  Decay decay;
  const auto assumption = [&] { return decay.session->current().params.text("assumption"); };
  const Point box = decay.desktop.item("param assumption");
  for (double down = 32; down < 120 && assumption() == "ones"; down += 8) {
    decay.desktop.click(box);
    decay.desktop.click({box.x, box.y + down});
  }
  decay.desktop.settle();
  REQUIRE(assumption() != "ones");
  CHECK(decay.ghosts().empty());
}

}  // namespace
}  // namespace orrery
