// Reads lessons: nothing is thrown, every problem has a line of the file and a message that can be
// shown, and the sound parts keep the rules of a lesson.
#include <algorithm>
#include <set>

#include "experiments/lessons/parse_lesson.h"
#include "experiments/text/printable.h"
#include "tests/fuzz/harness.h"

using namespace orrery;

namespace {

void require_step(const LessonStep& step) {
  fuzz::require(step.controls.size() <= most_controls, "a step has two controls at most");
  for (const Expectation& expectation : step.expectations)
    fuzz::require(!expectation.assertion.clauses.empty(), "an assertion states something");
  if (step.state.experiment) {
    const StepState again = read_state("experiment = \"" + step.state.experiment->info.name + "\"");
    const ParamSet params = with_words(again.params, step.state.params.overrides());
    fuzz::require(params.overrides() == step.state.params.overrides(),
                  "the words of a state restore it");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const ParsedLesson parsed = parse_lesson(text, "lesson.md");
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  for (const Problem& problem : parsed.problems) {
    fuzz::require(problem.line >= 1 && problem.line <= lines, "a problem is in a line of the file");
    fuzz::require(!problem.message.empty(), "a problem says what is wrong");
    fuzz::require(without_controls(problem.text()) == problem.text(), "a problem can be shown");
  }
  for (const LessonStep& step : parsed.lesson.steps) require_step(step);
  return 0;
}
