#include "app/session/desktop_state.h"

#include <catch2/catch.hpp>

#include "tests/app/fixture.h"

namespace orrery {
namespace {

using Cause = History::Cause;

DesktopState state_with(std::int64_t n) {
  DesktopState state;
  state.experiments.push_back({.experiment = "one", .params = ParamSet({test::n_param()})});
  state.experiments[0].params.set_value("n", n);
  return state;
}

std::int64_t n_of(const std::optional<DesktopState>& state) {
  REQUIRE(state);
  return state->experiments[0].params.integer("n");
}

TEST_CASE("Undo goes back step by step, redo forth again") {
  History history;
  double seconds = 0.0;
  for (const std::int64_t n : {10, 20, 30})
    history.observe(state_with(n), Cause::user, seconds += 5);
  CHECK(history.undo_text() == "n = 30");
  CHECK(n_of(history.undo()) == 20);
  CHECK(history.redo_text() == "n = 30");
  CHECK(n_of(history.undo()) == 10);
  CHECK_FALSE(history.undo());
  CHECK(n_of(history.redo()) == 20);
  CHECK(n_of(history.redo()) == 30);
  CHECK_FALSE(history.redo());
}

TEST_CASE("A drag is one step, however many values it passes and however long it takes") {
  History history;
  history.observe(state_with(10), Cause::user, 0);
  for (int i = 1; i <= 50; ++i) history.observe(state_with(10 + i), Cause::gesture, 2.0 * i);
  history.observe(state_with(61), Cause::user, 101);
  history.observe(state_with(61), Cause::user, 102);
  CHECK(n_of(history.undo()) == 10);
  CHECK_FALSE(history.can_undo());
}

TEST_CASE("Two drags are two steps, even when one follows the other at once") {
  History history;
  history.observe(state_with(10), Cause::user, 0);
  history.observe(state_with(11), Cause::gesture, 1.0);
  history.observe(state_with(11), Cause::user, 1.1);
  history.observe(state_with(12), Cause::gesture, 3.0);
  history.observe(state_with(12), Cause::user, 3.1);
  CHECK(n_of(history.undo()) == 11);
  CHECK(n_of(history.undo()) == 10);
}

TEST_CASE("Quick changes of one thing are one step, of two things two") {
  History history;
  history.observe(state_with(10), Cause::user, 0.0);
  history.observe(state_with(11), Cause::user, 1.0);
  history.observe(state_with(12), Cause::user, 1.2);
  DesktopState other = state_with(12);
  other.look.theme = Theme::light;
  history.observe(other, Cause::user, 1.3);
  CHECK(history.undo()->look.theme == Theme::dark);
  CHECK(n_of(history.undo()) == 10);
}

TEST_CASE("Automatic changes are not steps and do not cut off redo") {
  History history;
  history.observe(state_with(10), Cause::user, 0);
  history.observe(state_with(20), Cause::user, 5);
  CHECK(n_of(history.undo()) == 10);
  DesktopState settled = state_with(10);
  settled.experiments[0].figure = "first";
  history.observe(settled, Cause::automatic, 6);
  CHECK_FALSE(history.can_undo());
  CHECK(n_of(history.redo()) == 20);
  CHECK(history.undo()->experiments[0].figure == "first");
}

TEST_CASE("Showing the first figure is not a step, choosing another one is") {
  History history;
  DesktopState state = state_with(10);
  history.observe(state, Cause::user, 0);
  state.experiments[0].figure = "first";
  history.observe(state, Cause::user, 5);
  CHECK_FALSE(history.can_undo());
  state.experiments[0].figure = "second";
  history.observe(state, Cause::user, 10);
  CHECK(history.undo()->experiments[0].figure == "first");
}

TEST_CASE("A new change cuts off what was undone, and old steps are forgotten in the end") {
  History history;
  double seconds = 0;
  for (std::int64_t i = 0; i < 700; ++i)
    history.observe(state_with(i % 100), Cause::user, seconds += 5);
  std::size_t steps = 0;
  while (history.undo()) ++steps;
  CHECK(steps == History::max_steps);
  history.observe(state_with(77), Cause::user, seconds + 5);
  CHECK_FALSE(history.can_redo());
}

TEST_CASE("A change is told in a few words") {
  DesktopState before = state_with(10), after = before;
  CHECK(change_text(before, after).empty());
  after.experiments[0].views["curve"].x = Range{0, 1};
  CHECK(change_text(before, after) == "view of curve");
  after.experiments[0].params.set_value("n", std::int64_t{11});
  CHECK(change_text(before, after) == "n = 11 and 1 more");
  after = before;
  after.experiments[0].views["curve"] = {};
  CHECK(change_text(before, after).empty());
}

}  // namespace
}  // namespace orrery
