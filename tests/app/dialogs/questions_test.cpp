#include "app/dialogs/help_sheets.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>

#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/sampled.h"

namespace orrery {

TEST_CASE("Every question shows its view with its settings, without an error, and its control") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  REQUIRE(questions().size() >= 10);
  std::size_t seen = 0;
  for (const AskedQuestion& asked : questions()) {
    if (!test::is_tried(seen++)) continue;
    const Question& question = *asked.question;
    INFO(question.words);
    desktop.press(GLFW_KEY_K, true);
    desktop.frame(2);
    desktop.type(question.words);
    desktop.press(GLFW_KEY_ENTER);
    desktop.settle();
    const ExperimentState& state = session->current();
    CHECK(state.experiment->info.name == asked.experiment->info.name);
    CHECK(state.message.empty());
    REQUIRE(state.result);
    for (const auto& [key, value] : question.settings) CHECK(state.params.to_text(key) == value);
    CHECK(state.params.is_used(question.control));
    CHECK(desktop.app().item_rects().find("answer"));
    CHECK(desktop.app().item_rects().find("param " + question.control));
    for (const Check& check : state.result->checks) {
      INFO(check.statement);
      CHECK(check.holds());
    }
  }
}

TEST_CASE("The first window says what to move, and its control is below the figure") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  const Question& first = session->current().experiment->info.questions.front();
  CHECK(desktop.app().item_rects().find("answer"));
  CHECK(desktop.app().item_rects().find("param " + first.control));
}

TEST_CASE("F2 opens the questions, and a click on one asks it") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.press(GLFW_KEY_F2);
  desktop.frame(3);
  desktop.click(desktop.item("question equal_half_distance"));
  desktop.settle();
  CHECK(session->current().experiment->info.name == "equal_half_distance");
  // The answer stays with its view.
  session->select(0);
  desktop.settle();
  CHECK_FALSE(desktop.app().item_rects().find("answer"));
}

}  // namespace orrery
