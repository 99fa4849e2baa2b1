#include "experiments/lessons/check_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/lessons/evaluate.h"
#include "experiments/lessons/library.h"
#include "experiments/lessons/prediction.h"
#include "experiments/lessons/scoreboard.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

std::vector<std::string> names_of(const std::string& kind) {
  std::vector<std::string> names;
  if (kind == "lesson")
    for (const auto& file : bundled_lessons()) names.push_back(file.stem().string());
  if (kind == "experiment")
    for (const Experiment* one : experiment_catalogue()) names.push_back(one->info.name);
  if (kind == "encoding")
    for (const EncodingSummary& one : encoding_list()) names.push_back(one.name);
  if (kind == "preset") names = preset_names();
  if (kind == "card")
    for (const PaperCard& card : paper_cards()) names.push_back(card.name);
  return names;
}

void add_names(const EquationNode& node, std::vector<std::string>& names) {
  const std::string name = equation_name(node);
  if (!name.empty()) names.push_back(name);
  for (const EquationNode& child : node.children) add_names(child, names);
}

}  // namespace

void check_link(const std::string& target) {
  const std::size_t colon = target.find(':');
  const std::string kind = target.substr(0, colon);
  const std::vector<std::string> names = names_of(kind);
  if (colon == std::string::npos || names.empty())
    throw UsageError(in_quotes(target), "is not a link of a lesson",
                     "write lesson:, experiment:, encoding:, preset: or card: and a name");
  const std::string name = target.substr(colon + 1);
  if (std::ranges::find(names, name) == names.end())
    throw_unknown_name(name, "the name of a " + kind, names);
}

std::vector<std::string> symbols_of(const LessonStep& step) {
  std::vector<std::string> names;
  for (const Equation& formula : step.formulas) add_names(parse_equation(formula.tex), names);
  for (const Prose& prose : step.prose)
    for (const Span& span : prose.spans)
      if (span.kind == Span::Kind::formula) add_names(parse_equation(span.text), names);
  return names;
}

void check_symbol(const std::string& symbol, const LessonStep& step) {
  const std::vector<std::string> names = symbols_of(step);
  if (std::ranges::find(names, symbol) == names.end())
    throw_unknown_name(symbol, "a symbol of the step's formulas", names);
}

namespace {

class StepCheck {
 public:
  StepCheck(const LessonStep& step, const std::string& file, ResultCache& results,
            Progress& progress, LessonCheck& found)
      : step_(step), file_(file), results_(results), progress_(progress), found_(found) {}

  void run() {
    for (const Prose& prose : step_.prose)
      for (const Span& span : prose.spans)
        if (span.kind == Span::Kind::link) guarded(prose.line, [&] { check_link(span.target); });
    if (!step_.state.experiment) return;  // a problem of parsing
    guarded(step_.state_line, [&] { own_ = results_.result_of(step_.state, progress_); });
    if (!own_) return;
    guarded(step_.state_line, [&] { check_figures(); });
    for (const Expectation& expectation : step_.expectations)
      guarded(expectation.line, [&] { check_expectation(expectation); });
    if (step_.prediction) guarded(step_.prediction->line, [&] { check_prediction(); });
    if (step_.task) guarded(step_.task->line, [&] { check_task(*step_.task); });
    for (const FigureNote& note : step_.notes) guarded(note.line, [&] { check_note(note); });
    for (const Spotlight& light : step_.spotlights)
      guarded(light.line, [&] { check_spotlight(light); });
    for (const Veil& veil : step_.veils)
      guarded(veil.line, [&] { check_part(veil.figure, veil.series); });
    for (const WishTick& tick : step_.ticks)
      guarded(tick.line, [&] {
        require(tick.when.assertion, tick.when.with,
                "correct the tick, and the prose that says so");
      });
  }

 private:
  void guarded(int line, const std::function<void()>& check) {
    try {
      check();
    } catch (const Error& error) {
      found_.problems.push_back({file_, line, without_controls(error.what())});
    }
  }

  std::shared_ptr<const Result> with(const std::vector<std::string>& words) {
    return words.empty() ? own_ : results_.result_of(step_.state, words, progress_);
  }

  void require(const Assertion& assertion, const std::vector<std::string>& words,
               const std::string& remedy) {
    ++found_.assertions;
    const ParamSet params = with_words(step_.state.params, words);
    const Verdict verdict = judge(assertion, {*with(words), params});
    if (!verdict.holds)
      throw UsageError(in_quotes(assertion.text), fmt::format("does not hold: {}", verdict.found),
                       remedy);
  }

  void check_figures() {
    const StepState& state = step_.state;
    for (const std::string& id : {state.figure, state.second_figure})
      if (!id.empty()) (void)figure_named(*own_, id);
    for (const auto& [id, view] : state.views) {
      (void)figure_named(*own_, id);
      for (const std::string& series : view.hidden) (void)series_named(*own_, id, series);
    }
  }

  void check_expectation(const Expectation& expectation) {
    require(expectation.assertion, expectation.with, "correct it, and the prose that says so");
  }

  void check_prediction() {
    ++found_.assertions;
    const Answer truth =
        truth_of(*step_.prediction, step_.state,
                 [this](const std::vector<std::string>& words) { return with(words); });
    (void)describe_answer(*step_.prediction, truth, truth);
  }

  void check_task(const LessonTask& task) {
    const LessonFacts before{*own_, step_.state.params};
    found_.assertions += 2;
    if (judge(task.until, before).holds)
      throw UsageError(in_quotes(task.until.text), "holds before anything is done",
                       "begin from another state, or ask for more");
    require(task.until, task.by, "correct by: or until:");
    for (const LessonTask::Hint& hint : task.hints)
      if (hint.when) (void)judge(*hint.when, before);
  }

  void check_note(const FigureNote& note) {
    const LessonFacts facts{*own_, step_.state.params};
    (void)figure_named(*own_, note.figure);
    const double x = value_of(note.x, facts), y = value_of(note.y, facts);
    if (!std::isfinite(x) || !std::isfinite(y))
      throw UsageError(in_quotes(note.text), fmt::format("stands at ({}, {})", x, y),
                       "choose a place where the figure has a value");
  }

  void check_part(const std::string& figure, const std::string& series) {
    (void)figure_named(*own_, figure);
    if (!series.empty()) (void)series_named(*own_, figure, series);
  }

  void check_spotlight(const Spotlight& light) {
    const LessonFacts facts{*own_, step_.state.params};
    switch (light.kind) {
      case Spotlight::Kind::control:
        (void)step_.state.params.spec(light.name);
        break;
      case Spotlight::Kind::figure:
      case Spotlight::Kind::series:
        check_part(light.name, light.series);
        break;
      case Spotlight::Kind::cell: {
        Expression cell{.kind = Expression::Kind::cell, .names = {light.name}};
        cell.operands = {light.row, light.column};
        (void)value_of(cell, facts);
        break;
      }
      case Spotlight::Kind::symbol:
        check_symbol(light.name, step_);
        break;
    }
  }

  const LessonStep& step_;
  const std::string& file_;
  ResultCache& results_;
  Progress& progress_;
  LessonCheck& found_;
  std::shared_ptr<const Result> own_{};
};

/// Whether the course declares the boxes that the steps fill in.
void check_ticks(const Lesson& lesson, const std::string& file, LessonCheck& found) {
  if (!lesson.has_ticks()) return;
  const std::vector<Lesson> course = course_of(file);
  for (const LessonStep& step : lesson.steps)
    for (const WishTick& tick : step.ticks) {
      try {
        check_tick(tick, course, lesson);
      } catch (const Error& error) {
        found.problems.push_back({file, tick.line, without_controls(error.what())});
      }
    }
}

}  // namespace

LessonCheck check_lesson(const ParsedLesson& parsed, const std::string& file, ResultCache& results,
                         Progress& progress) {
  LessonCheck found{.problems = parsed.problems};
  const std::vector<LessonStep>& steps = parsed.lesson.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    checkpoint(progress, i, steps.size(), parsed.lesson.name);
    SilentProgress quiet;
    StepCheck(steps[i], file, results, quiet, found).run();
  }
  check_ticks(parsed.lesson, file, found);
  std::ranges::stable_sort(found.problems,
                           [](const Problem& a, const Problem& b) { return a.line < b.line; });
  return found;
}

}  // namespace orrery
