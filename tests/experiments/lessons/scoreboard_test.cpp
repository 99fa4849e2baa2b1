#include "experiments/lessons/scoreboard.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "experiments/lessons/check_lesson.h"
#include "experiments/lessons/library.h"
#include "experiments/lessons/parse_lesson.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Mark = WishTick::Mark;

namespace {

std::string lesson_text(int number, const std::string& board, const std::string& ticks) {
  return "# Title\n```lesson\nnumber: " + std::to_string(number) +
         "\nminutes: 5\nmisconception: None.\n```\n" + board +
         "## One\nWords.\n```state\nexperiment = \"long_term_decay\"\n```\n## Two\nMore.\n" +
         ticks + "```card\nKeep it.\n```\n";
}

const std::string small_board =
    "```scoreboard\nwish falls: it falls\nwish rises: it rises\ncode rope: RoPE\n```\n";

Lesson lesson_of(int number, const std::string& text) {
  const ParsedLesson parsed = parse_lesson(text, std::to_string(number) + "-x.md");
  for (const Problem& problem : parsed.problems) UNSCOPED_INFO(problem.text());
  REQUIRE(parsed.problems.empty());
  return parsed.lesson;
}

std::string problems_in(const std::string& text) {
  std::string all;
  for (const Problem& problem : parse_lesson(text, "1-x.md").problems) all += problem.text() + "\n";
  return all;
}

}  // namespace

TEST_CASE("A tick names its box, its mark, the assertion that settles it and a remark") {
  const Lesson lesson = lesson_of(
      1, lesson_text(1, small_board,
                     "```tick\nrope rises: partly if with dim=64, base=100: rope_rises > 1 % at "
                     "115 of 256 steps\n```\n"));
  CHECK(lesson.wishes.at(1).text == "it rises");
  CHECK(lesson.codes.at(0).text == "RoPE");
  const WishTick& tick = lesson.steps.at(1).ticks.at(0);
  CHECK(tick.code == "rope");
  CHECK(tick.wish == "rises");
  CHECK(tick.mark == Mark::partly);
  CHECK(tick.when.with == std::vector<std::string>{"dim=64", "base=100"});
  CHECK(tick.when.assertion.text == "rope_rises > 1");
  CHECK(tick.remark == "at 115 of 256 steps");
}

TEST_CASE("A tick or an entry that cannot be read says what to write") {
  CHECK_THAT(
      problems_in(lesson_text(1, small_board, "```tick\nrope rises: maybe if base > 1\n```\n")),
      Contains("maybe: is not a mark of the scoreboard; choose one of yes, no, partly"));
  CHECK_THAT(problems_in(lesson_text(1, small_board, "```tick\nrope rises: yes\n```\n")),
             Contains("write CODE WISH: yes, no or partly if ASSERTION"));
  CHECK_THAT(problems_in(lesson_text(1, "```scoreboard\nhope rises: it\n```\n", "")),
             Contains("write wish KEY: TEXT or code KEY: NAME"));
  CHECK_THAT(problems_in(lesson_text(1, "", small_board)), Contains("stands in a step"));
}

TEST_CASE("The scoreboard fills up step by step and lesson by lesson, and a later tick counts") {
  const Lesson none = lesson_of(1, lesson_text(1, "", ""));
  const Lesson first =
      lesson_of(2, lesson_text(2, small_board, "```tick\nrope falls: yes if base > 1\n```\n"));
  const Lesson second = lesson_of(
      3, lesson_text(3, "```scoreboard\ncode alibi: ALiBi\n```\n",
                     "```tick\nrope falls: partly if base > 1 % not steadily\nalibi falls: yes if "
                     "base > 1\n```\n"));
  const std::vector<Lesson> course{none, first, second};
  CHECK(scoreboard_at(course, none, 2).is_empty());
  const Scoreboard begun = scoreboard_at(course, first, 1);
  CHECK(begun.wishes.size() == 2);
  CHECK(begun.codes.size() == 1);
  CHECK(begun.settled() == 0);
  const Scoreboard after = scoreboard_at(course, first, 2);
  CHECK(after.at(0, 0).mark == Mark::yes);
  CHECK(after.at(0, 0).is_new);
  CHECK(after.at(0, 0).where == "lesson 2, step 2");
  CHECK_FALSE(after.at(0, 1).is_settled);
  const Scoreboard later = scoreboard_at(course, second, 1);
  CHECK(later.at(0, 0).mark == Mark::yes);
  CHECK_FALSE(later.has_news());
  const Scoreboard last = scoreboard_at(course, second, 2);
  CHECK(mark_text(last.at(0, 0)) == "(✓)");
  CHECK(last.at(1, 0).is_new);
  CHECK(last.settled() == 2);
  CHECK(new_remarks(last) == std::vector<std::string>{"RoPE, falls: not steadily"});
}

TEST_CASE(
    "A tick that does not hold, or of a box that the course lacks, is a problem by its line") {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "02-x.md";
  std::ofstream(folder.path() / "01-board.md") << lesson_text(1, small_board, "");
  std::ofstream(file) << lesson_text(
      2, "", "```tick\nrope falls: yes if base < 1\nrope riss: yes if base > 1\n```\n");
  ResultCache results;
  SilentProgress progress;
  std::string found;
  for (const Problem& problem :
       check_lesson(read_lesson(file), file.string(), results, progress).problems)
    found += problem.text() + "\n";
  INFO(found);
  CHECK_THAT(found, Contains(":15: 'base < 1': does not hold"));
  CHECK_THAT(found, Contains(":16: riss: is not a wish of the scoreboard; did you mean rises?"));
}

TEST_CASE("By the end of the course every box of the scoreboard is settled") {
  const std::vector<Lesson> course = course_of(bundled_lessons().front());
  REQUIRE(course.size() == bundled_lessons().size());
  const Scoreboard board = scoreboard_at(course, course.back(), course.back().steps.size());
  CHECK(board.wishes.size() == 5);
  for (std::size_t code = 0; code < board.codes.size(); ++code)
    for (std::size_t wish = 0; wish < board.wishes.size(); ++wish) {
      INFO(board.codes[code].text << ", " << board.wishes[wish].key);
      CHECK(board.at(code, wish).is_settled);
    }
}
