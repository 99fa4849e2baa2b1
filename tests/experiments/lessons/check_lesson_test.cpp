#include "experiments/lessons/check_lesson.h"

#include <catch2/catch.hpp>
#include <set>

#include "experiments/lessons/library.h"
#include "tests/support/sampled.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

LessonCheck checked(const std::string& text) {
  ResultCache results;
  SilentProgress progress;
  return check_lesson(parse_lesson(text, "x.md"), "x.md", results, progress);
}

std::string text_of(const LessonCheck& check) {
  std::string all;
  for (const Problem& problem : check.problems) all += problem.text() + "\n";
  return all;
}

const std::string broken =
    "# Broken\n```lesson\nmisconception: None.\n```\n## One\nSee [there](lesson:99-none).\n"  // 6
    "```state\nexperiment = \"long_term_decay\"\nfigure = \"decay_bund\"\n```\n"              // 7
    "```expect\nrope_first_rise = 19\nrope_first_rise = 20\n"                                 // 13
    "value decay_bound RoPE 999 > 0\nwith base=2: rope_first_rise = 19\n```\n"                // 14
    "```do\ngoal: Stay.\nuntil: base > 1\nby: base=100\n```\n"                                // 17
    "```note\ndecay_bound at 19, 0 / 0: nowhere\n```\n"                                       // 23
    "```spotlight\nseries decay_bound ALiBi\n```\n```card\nNone.\n```\n";                     // 26

}  // namespace

TEST_CASE("All lessons that come with Orrery hold") {
  ResultCache results;
  SilentProgress progress;
  std::set<int> numbers;
  std::size_t seen = 0, tried = 0;
  for (const auto& file : bundled_lessons()) {
    if (!test::is_tried(seen++)) continue;
    ++tried;
    const ParsedLesson parsed = read_lesson(file);
    const LessonCheck found = check_lesson(parsed, file.string(), results, progress);
    INFO(text_of(found));
    CHECK(found.problems.empty());
    CHECK(parsed.lesson.steps.size() >= 5);
    CHECK(parsed.lesson.steps.size() <= 10);
    CHECK(parsed.lesson.steps.back().exercise);
    CHECK(numbers.insert(parsed.lesson.number).second);
    for (const LessonStep& step : parsed.lesson.steps) CHECK_FALSE(step.say.empty());
    CHECK(found.assertions >= parsed.lesson.steps.size());
  }
  CHECK(numbers.size() == tried);
}

TEST_CASE("Everything that a lesson states wrongly is found") {
  const std::string found = text_of(checked(broken));
  INFO(found);
  CHECK_THAT(found, Contains("x.md:6: 99-none: is not the name of a lesson"));
  CHECK_THAT(found, Contains("x.md:7: decay_bund: is not a figure of this result; did you mean"));
  CHECK_THAT(found, !Contains("x.md:12:"));
  CHECK_THAT(found,
             Contains("x.md:13: 'rope_first_rise = 20': does not hold: the sides are 19, 20"));
  CHECK_THAT(found, Contains("x.md:14: x = 999: lies outside of RoPE"));
  CHECK_THAT(found, Contains("x.md:15:"));
  CHECK_THAT(found, Contains("x.md:17: 'base > 1': holds before anything is done"));
  CHECK_THAT(found, Contains("x.md:23: 'nowhere': stands at (19, "));
  CHECK_THAT(found, Contains("x.md:26: ALiBi: is not a curve of decay_bound"));
}

TEST_CASE("Steps of equal settings share one computation") {
  ResultCache results;
  SilentProgress progress;
  const StepState state = read_state("experiment = \"long_term_decay\"\n");
  const auto first = results.result_of(state, progress);
  CHECK(results.result_of(state, {"base=10000"}, progress) == first);
  CHECK(results.result_of(state, {"base=100"}, progress) != first);
  CHECK(results.computed() == 2);
}

TEST_CASE("Lessons are found by name, number and path") {
  CHECK(lessons_named("7") == lessons_named("decay"));
  CHECK(lessons_named("07-decay").at(0).filename() == "07-decay.md");
  CHECK_THROWS_WITH(lessons_named("dekay"), Contains("is not a lesson"));
}
