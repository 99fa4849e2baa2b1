#include "experiments/lessons/parse_lesson.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

const std::string head =
    "# Title\n\n```lesson\nnumber: 3\nminutes: 12\nmisconception: All is well.\n```\n\n";
const std::string state =
    "```state\nexperiment = \"long_term_decay\"\nfigure = \"decay_bound\"\n\n[params]\nbase = "
    "500000\n\n[view.\"decay_bound\"]\nx = [0, 64]\nhidden = [\"RoPE\"]\n```\n";
const std::string card = "```card\nA statement.\n```\n";

ParsedLesson parse(const std::string& text) { return parse_lesson(text, "folder/03-title.md"); }

std::string problems_of(const std::string& text) {
  std::string all;
  for (const Problem& problem : parse(text).problems) all += problem.text() + "\n";
  return all;
}

/// Every way of filling a step.
const std::string full_step =
    "## One *step*\n\nFirst $x_t$ and `code`, see [this](lesson:07-decay).\nStill first.\n\n- an "
    "item\n\n" +
    state +
    "```equation\nS_j = \\sum_i x_i % eq. (35)\n```\n```controls\nbase\ndim\n```\n"
    "```predict\nask: Which?\nchoose: this one if base > 1\nchoose: \"that, if any\" if with "
    "base=100: base = 100\nreveal: Well.\n```\n"
    "```do\ngoal: Lower it.\nuntil: base < 100\nby: base=50\nhint: if base > 1e5: Far\n  too "
    "high.\nhint: otherwise: Lower.\n```\n"
    "```expect\n# a comment\nbase = 500000\nwith base=100, dim=64: base = 100\n```\n"
    "```note\ndecay_bound at 19, value decay_bound RoPE 19: first rise: here\n```\n"
    "```spotlight\ncontrol base\nseries decay_bound RoPE\nsymbol x_t\n```\n"
    "```veil\ndecay_bound RoPE from 10 to 20\n```\n```say\nOne\nsentence.\n```\n" +
    card + "```exercise\ntask: Do it.\nanswer: Done.\n```\n";

}  // namespace

TEST_CASE("A lesson is read from Markdown, block by block") {
  const ParsedLesson parsed = parse(head + full_step);
  INFO(problems_of(head + full_step));
  REQUIRE(parsed.problems.empty());
  const Lesson& lesson = parsed.lesson;
  CHECK(lesson.name == "03-title");
  CHECK(lesson.number == 3);
  CHECK(lesson.title == "Title");
  CHECK(lesson.misconception == "All is well.");
  REQUIRE(lesson.steps.size() == 1);
  const LessonStep& step = lesson.steps[0];
  REQUIRE(step.prose.size() == 2);
  CHECK(plain_prose(step.prose[0].spans) == "First xₜ and code, see this. Still first.");
  CHECK(step.prose[1].is_item);
  CHECK(step.state.experiment->info.name == "long_term_decay");
  CHECK(step.state.params.real("base") == 500000);
  CHECK(step.state.views.at("decay_bound").x == Range{0, 64});
  CHECK(step.formulas.at(0).source == "eq. (35)");
  CHECK(step.controls == std::vector<std::string>{"base", "dim"});
  const auto& choose = std::get<ChooseOption>(step.prediction->kind);
  CHECK(choose.options.at(1).label == "that, if any");
  CHECK(choose.options.at(1).when.with == std::vector<std::string>{"base=100"});
  CHECK(step.task->hints.at(0).text == "Far too high.");
  CHECK_FALSE(step.task->hints.at(1).when);
  CHECK(step.expectations.at(1).with == std::vector<std::string>{"base=100", "dim=64"});
  CHECK(step.notes.at(0).text == "first rise: here");
  CHECK(step.spotlights.size() == 3);
  CHECK(step.veils.at(0).x == Range{10, 20});
  CHECK(step.say == "One sentence.");
  CHECK(step.card->statement == "A statement.");
  CHECK(step.exercise->answer == "Done.");
  CHECK(command_of(step.state) == "orrery run long_term_decay base=500000");
}

TEST_CASE("A step without a state has that of the step before") {
  const ParsedLesson parsed =
      parse(head + "## One\nWords.\n" + state + "## Two\nMore words.\n" + card);
  REQUIRE(parsed.problems.empty());
  CHECK(parsed.lesson.steps[1].state.params.real("base") == 500000);
  CHECK_FALSE(parsed.lesson.steps[1].has_own_state);
}

TEST_CASE("All errors of a lesson are reported, by line") {
  const std::string text = head +
                           "## One\nSome $\\nonsense$ and $x here.\n"                // 9, 10
                           "```state\nexperiment = \"long_term_decay\"\n[params]\n"  // 11
                           "bass = 3\ndim = \"abc\"\n```\n"                          // 14, 15
                           "```expect\nbase >\nbase < 1\n(\n```\n"                   // 18, 20
                           "```controls\nbase\ndim\nseed\n```\n"                     // 25
                           "```nonsense\n```\n";                                     // 27
  const ParsedLesson parsed = parse(text);
  std::vector<int> lines;
  for (const Problem& problem : parsed.problems) lines.push_back(problem.line);
  INFO(problems_of(text));
  CHECK(std::count(lines.begin(), lines.end(), 10) == 2);
  for (const int line : {14, 15, 18, 20, 25, 27})
    CHECK(std::count(lines.begin(), lines.end(), line) == 1);
  CHECK(std::is_sorted(lines.begin(), lines.end()));
  CHECK_THAT(problems_of(text), Contains("folder/03-title.md:14: ") && Contains("base"));
  CHECK_THAT(problems_of(text), Contains("third control"));
  CHECK_THAT(problems_of(text), Contains("not one in the last step"));
  CHECK(parsed.lesson.steps.at(0).expectations.size() == 1);
}

TEST_CASE("A step says at most seventy words") {
  const auto step_of = [](std::size_t words) {
    std::string prose;
    for (std::size_t i = 0; i < words; ++i) prose += i % 10 == 0 ? "$x_t$ " : "word ";
    return head + "## One\n" + prose + "\n" + state + card;
  };
  CHECK(problems_of(step_of(70)).empty());
  CHECK_THAT(problems_of(step_of(71)), Contains("71 words: are more than the 70 of a step"));
}

TEST_CASE("What a lesson lacks is said with what to write") {
  CHECK_THAT(problems_of(""), Contains("has no title") && Contains("has no steps"));
  CHECK_THAT(problems_of(head + "## One\nWords.\n" + card), Contains("shows nothing"));
  CHECK_THAT(problems_of(head + "## One\nWords.\n```state\n"), Contains("does not end"));
  CHECK_THAT(problems_of(head + "### Deep\n"), Contains("not a heading of a lesson"));
  CHECK_THAT(problems_of("\xff\xfe"), Contains("not UTF-8"));
  CHECK_THAT(
      problems_of(head + "## One\nWords.\n" + state + "```predict\nask: What?\n```\n" + card),
      Contains("has no kind"));
  CHECK_THAT(problems_of(head + "## One\nWords.\n" + state +
                         "```do\ngoal: Go.\nuntil: base < 1\n```\n" + card),
             Contains("how it can be done"));
}
