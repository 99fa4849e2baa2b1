#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "experiments/figure/plot/figure_view.h"
#include "experiments/lessons/lesson.h"
#include "experiments/lessons/prediction.h"
#include "experiments/lessons/result_cache.h"
#include "experiments/lessons/scoreboard.h"
#include "experiments/model/progress.h"

namespace orrery::lessons {

// A lesson on paper: its steps with figures, equations and room for predictions, the answers at the
// end, and the command that makes each figure.

struct HandoutHeading {
  int level{1};  ///< 1 title, 2 step
  std::string text{};
};
struct HandoutText {
  enum class Kind { plain, item, quiet, strong, boxed };
  std::vector<Span> spans{};
  Kind kind{Kind::plain};
};
struct HandoutFormulas {
  std::vector<LessonFormula> formulas{};
};
struct HandoutPicture {
  Figure figure{};
  FigureView view{};
  std::vector<PlacedNote> notes{};
  std::string id{};  ///< prefix of its ids in the page
};
/// The scoreboard of the course, with boxes to fill in where they are not settled.
struct HandoutBoard {
  Scoreboard board{};
};
/// Lines to write on.
struct HandoutBlank {
  int lines{1};
};
struct HandoutCommand {
  std::string text{};
};
/// What follows begins a page.
struct HandoutBreak {};

using HandoutBlock = std::variant<HandoutHeading, HandoutText, HandoutFormulas, HandoutPicture,
                                  HandoutBoard, HandoutBlank, HandoutCommand, HandoutBreak>;

struct Handout {
  std::string title{};
  std::vector<HandoutBlock> blocks{};
};

/// Computes the states of the lesson. Throws as check_lesson reports.
/// @param course  the lessons whose scoreboard this one goes on with
Handout make_handout(const Lesson& lesson, std::span<const Lesson> course, ResultCache& results,
                     Progress& progress);

/// A page that needs no other file; the same handout gives the same bytes.
std::string handout_html(const Handout& handout);
/// Pages of A4, text of 10 pt; the same handout gives the same bytes.
std::string handout_pdf(const Handout& handout);

}  // namespace orrery::lessons
