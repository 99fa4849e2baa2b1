#include "experiments/lessons/handout.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/lessons/evaluate.h"
#include "experiments/lessons/prediction.h"
#include "experiments/lessons/scoreboard.h"
#include "experiments/setup/provenance.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

using TextKind = Paragraph::Kind;

/// The text with its formulas and emphasis; as it is where it cannot be read.
Spans marked(const std::string& text) {
  try {
    return spans_of(text);
  } catch (const UsageError&) {
    return text;
  }
}

Range range_of(const Series& series) {
  const Range range = extent_of(series.y);
  const double room = 0.05 * (range.max - range.min);
  return {range.min - room, range.max + room};
}

class HandoutMaker {
 public:
  HandoutMaker(const Lesson& lesson, std::span<const Lesson> course, ResultCache& results,
               Progress& progress)
      : lesson_(lesson), course_(course), results_(results), progress_(progress) {}

  Document make() {
    const std::string number = lesson_.number > 0 ? fmt::format("{} · ", lesson_.number) : "";
    handout_.title = number + plain_text(lesson_.title);
    text(fmt::format("{} minutes. What dies here: “{}”", lesson_.minutes, lesson_.misconception),
         TextKind::quiet);
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i) {
      checkpoint(progress_, i, lesson_.steps.size(), lesson_.name);
      add_step(lesson_.steps[i], i + 1);
    }
    add_board();
    add(LayoutMark{LayoutMark::Kind::page_break});
    add(Heading{2, "Answers", "answers"});
    for (Block& block : answers_) handout_.blocks.push_back(std::move(block));
    return std::move(handout_);
  }

 private:
  void add(Block block) { handout_.blocks.push_back(std::move(block)); }
  void text(const std::string& words, TextKind kind = TextKind::plain) {
    add(Paragraph{marked(words), kind});
  }
  void answer(const std::string& words, TextKind kind = TextKind::plain) {
    answers_.emplace_back(Paragraph{marked(words), kind});
  }

  void add_step(const LessonStep& step, std::size_t number) {
    SilentProgress quiet;
    result_ = results_.result_of(step.state, quiet);
    add(Heading{2, fmt::format("{}. {}", number, plain_text(step.title)),
                fmt::format("step-{}", number)});
    for (const Prose& prose : step.prose) add_prose(prose);
    if (!step.formulas.empty()) add(Equations{step.formulas});
    const bool veiled = step.prediction && !veils_of(step).empty();
    if (!hides_all(step)) add_picture(step, veiled, handout_.blocks);
    if (step.prediction) add_prediction(step, number, veiled);
    if (step.task) add_task(*step.task, number);
    if (step.card) text(step.card->statement, TextKind::boxed);
    add(CodeBlock{command_of(step.state)});
    if (step.exercise) add_exercise(*step.exercise);
  }

  void add_prose(const Prose& prose) {
    if (!prose.is_item) return add(Paragraph{prose.spans});
    auto* list = std::get_if<BulletList>(&handout_.blocks.back());
    if (list)
      list->items.push_back(prose.spans);
    else
      add(BulletList{{prose.spans}});
  }

  /// What is hidden until the reveal: the veils, and the curve that is to be drawn.
  static std::vector<Veil> veils_of(const LessonStep& step) {
    std::vector<Veil> veils = step.veils;
    if (step.prediction)
      if (const auto* draw = std::get_if<DrawCurve>(&step.prediction->kind))
        veils.push_back({.figure = draw->figure, .series = draw->series});
    return veils;
  }

  bool hides_all(const LessonStep& step) const {
    const Figure& shown = shown_figure(step);
    // A part of a map or of arrows cannot be left out, so that all of it is.
    const bool has_parts = std::holds_alternative<LinePlot>(shown.content);
    return step.prediction && std::ranges::any_of(step.veils, [&](const Veil& v) {
             return v.figure == shown.id && ((v.series.empty() && !v.x) || (v.x && !has_parts));
           });
  }

  const Figure& shown_figure(const LessonStep& step) const {
    return step.state.figure.empty() ? result_->figures.front()
                                     : figure_named(*result_, step.state.figure);
  }

  /// The figure as the step shows it; before the reveal without what is veiled, on the same axes.
  void add_picture(const LessonStep& step, bool before, std::vector<Block>& to) {
    if (result_->figures.empty()) return;
    Picture picture{.figure = shown_figure(step), .id = fmt::format("figure{}", ++pictures_)};
    picture.figure.caption = brief_caption(picture.figure.caption, step.state.params);
    const auto view = step.state.views.find(picture.figure.id);
    if (view != step.state.views.end()) picture.view = view->second;
    for (const Veil& veil : before ? veils_of(step) : std::vector<Veil>{}) {
      if (veil.figure == picture.figure.id) hide(picture, veil);
    }
    if (!before)
      for (PlacedNote& note : placed_notes(step.notes, {*result_, step.state.params}))
        if (note.figure == picture.figure.id) picture.notes.push_back(std::move(note));
    to.emplace_back(std::move(picture));
  }

  /// Takes what is veiled out of the picture, on the same axes.
  void hide(Picture& picture, const Veil& veil) const {
    auto* plot = std::get_if<LinePlot>(&picture.figure.content);
    if (!plot || (veil.series.empty() && !veil.x)) return;
    const std::string name =
        veil.series.empty() ? "" : series_named(*result_, veil.figure, veil.series).name;
    for (Series& series : plot->series) {
      if (!name.empty() && series.name != name) continue;
      keep_range(picture, series);
      if (veil.x)
        blank(series, *veil.x);
      else
        picture.view.hidden.insert(series.name);
    }
  }

  /// A gap in a curve and its band.
  static void blank(Series& series, const Range& x) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!(x.min <= series.x[i] && series.x[i] <= x.max)) continue;
      for (std::vector<double>* values : {&series.y, &series.band_low, &series.band_high})
        if (i < values->size()) (*values)[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }

  static void keep_range(Picture& picture, const Series& series) {
    const auto* plot = std::get_if<LinePlot>(&picture.figure.content);
    if (!plot || plot->y.range || plot->y.scale != AxisScale::linear) return;
    const Range range = range_of(series);
    if (!picture.view.y) picture.view.y = range;
    if (range.min < picture.view.y->min) picture.view.y->min = range.min;
    if (range.max > picture.view.y->max) picture.view.y->max = range.max;
  }

  void add_prediction(const LessonStep& step, std::size_t number, bool veiled) {
    const Prediction& prediction = *step.prediction;
    SilentProgress quiet;
    const Answer truth = truth_of(prediction, step.state, [&](const auto& words) {
      return results_.result_of(step.state, words, quiet);
    });
    text(prediction.ask, TextKind::strong);
    add_blanks(prediction);
    std::string said =
        fmt::format("*{}. {}* {}", number, plain_text(step.title), truth_text(prediction, truth));
    if (!prediction.reveal.empty()) said += " " + prediction.reveal;
    answer(said);
    if (veiled) add_picture(step, false, answers_);
    if (veiled) answers_.emplace_back(CodeBlock{command_of(step.state)});
  }

  void add_blanks(const Prediction& prediction) {
    if (const auto* choose = std::get_if<ChooseOption>(&prediction.kind)) {
      for (const auto& option : choose->options) text("☐ " + option.label, TextKind::indented);
    } else if (const auto* order = std::get_if<OrderItems>(&prediction.kind)) {
      for (const auto& item : order->items) text("____ " + item.label, TextKind::indented);
    } else if (const auto* guess = std::get_if<GuessNumber>(&prediction.kind)) {
      text(fmt::format("From {} to {}: __________ {}", short_label(guess->from),
                       short_label(guess->to), guess->unit),
           TextKind::indented);
    } else if (std::holds_alternative<DrawCurve>(prediction.kind)) {
      text("Draw it into the figure.", TextKind::quiet);
    } else {
      text("Mark the cells in the figure.", TextKind::quiet);
    }
  }

  void add_task(const LessonTask& task, std::size_t number) {
    text("☐ " + task.goal, TextKind::strong);
    add(LayoutMark{LayoutMark::Kind::blank_lines, 1});
    answer(fmt::format("*{}. {}* For instance with `{}`.", number, task.goal,
                       fmt::join(task.by, " ")));
  }

  void add_exercise(const Exercise& exercise) {
    add(Heading{2, "Exercise", "exercise"});
    text(exercise.task);
    add(LayoutMark{LayoutMark::Kind::blank_lines, 3});
    answer("*Exercise* " + exercise.answer);
  }

  /// The scoreboard as the lesson found it, to be filled in; filled in among the answers.
  void add_board() {
    const Scoreboard before = scoreboard_at(course_, lesson_, 0);
    if (!lesson_.has_ticks() || before.is_empty()) return;
    add(Heading{2, "The scoreboard", "scoreboard"});
    text("Fill in what this lesson settles: ✓ for yes, ✗ for no, (✓) for partly.", TextKind::quiet);
    add(board_grid(before));
    add(Paragraph{legend_of(before), TextKind::quiet});
    answer("*The scoreboard* after this lesson:");
    answers_.emplace_back(board_grid(scoreboard_at(course_, lesson_, lesson_.steps.size())));
    for (const LessonStep& step : lesson_.steps)
      for (const WishTick& tick : step.ticks)
        if (!tick.remark.empty())
          answer(fmt::format("{}, {}: {}", name_of_code(before, tick.code), tick.wish, tick.remark),
                 TextKind::indented);
  }

  /// Empty boxes where it is not settled.
  static Grid board_grid(const Scoreboard& board) {
    Grid grid{.header = {""}, .names = {""}, .boxed = true};
    for (const BoardEntry& wish : board.wishes) {
      grid.header.emplace_back(wish.key);
      grid.names.push_back(wish.text);
    }
    for (std::size_t code = 0; code < board.codes.size(); ++code) {
      grid.rows.push_back({{.text = board.codes[code].text}});
      for (std::size_t wish = 0; wish < board.wishes.size(); ++wish)
        grid.rows.back().push_back({.text = mark_text(board.at(code, wish))});
    }
    return grid;
  }

  /// What the wishes ask, which head the columns by their keys.
  static std::string legend_of(const Scoreboard& board) {
    std::string legend;
    for (const BoardEntry& wish : board.wishes)
      legend += (legend.empty() ? "" : " · ") + wish.key + ": " + wish.text;
    return legend;
  }

  static std::string name_of_code(const Scoreboard& board, const std::string& key) {
    for (const BoardEntry& code : board.codes)
      if (code.key == key) return code.text;
    return key;
  }

  const Lesson& lesson_;
  std::span<const Lesson> course_;
  ResultCache& results_;
  Progress& progress_;
  Document handout_{.generator = "orrery lesson"};
  std::vector<Block> answers_{};
  std::shared_ptr<const Result> result_{};
  int pictures_{};
};

}  // namespace

Document make_handout(const Lesson& lesson, std::span<const Lesson> course, ResultCache& results,
                      Progress& progress) {
  return HandoutMaker(lesson, course, results, progress).make();
}

}  // namespace orrery
