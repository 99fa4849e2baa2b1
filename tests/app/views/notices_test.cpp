// What keeps a picture honest stays where captions have no room: beside others, and projected.
#include <catch2/catch.hpp>
#include <string>

#include "app/dialogs/help_sheets.h"
#include "app/shell/start.h"
#include "experiments/model/notices.h"
#include "tests/app/fixture.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

using Catch::Contains;

/// Every figure on screen has the words in its caption.
void check_all_say(const Session& session, const std::string& words) {
  REQUIRE_FALSE(session.on_screen.empty());
  for (const Figure* figure : session.on_screen) {
    INFO(figure->id);
    CHECK_THAT(figure->caption, Contains(words));
  }
}

TEST_CASE("Whose contents a map shows is said in every layout, and in projector mode") {
  const std::pair<const char*, std::string_view> notice_of[]{{"random", untrained_notice},
                                                             {"trained", trained_notice}};
  for (const char* view : {"attention_map", "score_decomposition"})
    for (const auto& [contents, notice] : notice_of) {
      const auto session = start_session(
          {.view = view, .overrides = {"encoding=rope+alibi", "contents=" + std::string(contents)}},
          {});
      test::NullDesktop desktop(*session, 1280, 800);
      session->look.projector = true;
      for (const ViewLayout layout :
           {ViewLayout::single, ViewLayout::side_by_side, ViewLayout::small_multiples}) {
        INFO(view << " " << contents << " " << layout_name(layout));
        session->shown().layout = layout;
        desktop.settle();
        check_all_say(*session, std::string(notice));
      }
    }
}

TEST_CASE("What was cut is said in projector mode, too") {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "word ";
  const auto session =
      start_session({.view = "attention_map",
                     .overrides = {"text=" + folder.file("mine.txt", text).string(),
                                   "contents=random", "max_tokens=32"}},
                    {});
  session->look.projector = true;
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  check_all_say(*session, "first 32 of 40 tokens");
}

TEST_CASE("Numbers under an assumption keep it beside another figure") {
  const auto session = start_session({.view = "model_layers"}, {});
  session->select_figure("receptive_field");
  session->shown().second_figure = "influence";
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  check_all_say(*session, "assuming that every head attends uniformly");
}

TEST_CASE("The questions that show maps say what model is behind them, or that none is") {
  for (const auto& [experiment, question] : questions()) {
    if (experiment->info.name == "attention_map")
      CHECK_THAT(question->answer, Contains("small model"));
    if (experiment->info.name == "score_decomposition")
      CHECK_THAT(question->answer, Contains(std::string(untrained_notice)));
  }
}

}  // namespace
}  // namespace orrery
