#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiments/figure/document/document.h"
#include "experiments/lessons/expression.h"
#include "experiments/lessons/step_state.h"

namespace orrery {

// A lesson as parse_lesson reads it from Markdown; assets/lessons/README.md has the format. Plain
// data: the desktop's player, the handout and the check only read it.

inline constexpr std::size_t most_words = 70;    ///< of a step's prose
inline constexpr std::size_t most_controls = 2;  ///< under the figure of a step

/// A statement that the command line checks, of the step's result, or of the one with other
/// parameters.
struct Expectation {
  int line{};
  std::vector<std::string> with{};  ///< "base=500000": in place of the state's
  Assertion assertion{};
};

/// A curve to draw over the series of a figure, which is veiled until the reveal.
struct DrawCurve {
  std::string figure{};
  std::string series{};
};

/// Cells of a map to mark: those that compare so with a number, or those that differ once these
/// words are applied to the parameters.
struct MarkCells {
  std::string map{};
  NumberRelation::Sign sign{NumberRelation::Sign::greater};
  Expression threshold{};
  std::vector<std::string> changed_by{};  ///< empty: by the comparison
};

/// Items to put in order of these numbers, the smallest first.
struct OrderItems {
  struct Item {
    std::string label{};
    Expression key{};
  };
  std::vector<Item> items{};
};

/// A number to guess with a slider.
struct GuessNumber {
  Expression truth{};
  double from{};
  double to{};
  std::string unit{};
};

/// Options to choose among; those whose statement holds are true.
struct ChooseOption {
  struct Option {
    std::string label{};
    Expectation when{};
  };
  std::vector<Option> options{};
};

/// Something to predict before the reveal. The truth is computed: see prediction.h.
struct Prediction {
  using Draw = DrawCurve;
  using Mark = MarkCells;
  using Order = OrderItems;
  using Guess = GuessNumber;
  using Choose = ChooseOption;
  int line{};
  std::string ask{};     ///< the question
  std::string reveal{};  ///< what to say with the truth; may be empty
  std::variant<Draw, Mark, Order, Guess, Choose> kind{};
};

/// Something to do before going on; nothing is locked.
struct LessonTask {
  /// What to say to a reader whose settings are so.
  struct Hint {
    std::optional<Assertion> when{};  ///< empty: in all other cases
    std::string text{};
  };
  int line{};
  std::string goal{};
  Assertion until{};
  std::vector<std::string> by{};  ///< words that reach it, for the check and the answers in print
  std::vector<Hint> hints{};      ///< the first whose condition holds is said
};

/// Words at a point of a figure, in data coordinates; on a map x is the column and y the row.
struct FigureNote {
  int line{};
  std::string figure{};
  Expression x{};
  Expression y{};
  std::string text{};
};

/// Something on screen that a step points at.
struct Spotlight {
  enum class Kind { control, figure, series, symbol, cell };
  int line{};
  Kind kind{Kind::figure};
  std::string name{};    ///< parameter, figure or symbol ("θ_t")
  std::string series{};  ///< of a figure
  Expression row{};      ///< of a cell
  Expression column{};
};

/// A part of a figure that is hidden until the reveal.
struct Veil {
  int line{};
  std::string figure{};
  std::string series{};      ///< empty: all of the figure
  std::optional<Range> x{};  ///< empty: over all x
};

/// What to remember: it ends a lesson. Its picture and its command are the step's.
struct Card {
  int line{};
  std::string statement{};
};

/// A wish or a code of the course's scoreboard, which the lesson that declares it brings in.
struct BoardEntry {
  int line{};
  std::string key{};   ///< as ticks name it, and the head of its column: "distance"
  std::string text{};  ///< "only the distance counts"; of a code its name on the board
};

/// A box of the scoreboard that a step fills in, with the assertion that settles it.
struct WishTick {
  enum class Mark { yes, no, partly };
  int line{};
  std::string code{};
  std::string wish{};
  Mark mark{Mark::yes};
  Expectation when{};
  std::string remark{};  ///< what the mark alone does not say; may be empty
};

struct Exercise {
  int line{};
  std::string task{};
  std::string answer{};
};

struct LessonStep {
  int line{};
  std::string title{};
  std::vector<Prose> prose{};
  std::vector<Equation> formulas{};
  std::vector<std::string> controls{};  ///< keys of parameters, at most most_controls
  int controls_line{};
  StepState state{};  ///< that of the step before where the step has none
  bool has_own_state{};
  int state_line{};
  std::optional<Prediction> prediction{};
  std::optional<LessonTask> task{};
  std::vector<Expectation> expectations{};
  std::vector<FigureNote> notes{};
  std::vector<Spotlight> spotlights{};
  std::vector<Veil> veils{};
  std::vector<WishTick> ticks{};
  std::string say{};  ///< the sentence that a projector shows in place of the prose
  std::optional<Card> card{};
  std::optional<Exercise> exercise{};
};

struct Lesson {
  std::string name{};  ///< of its file, without the extension: "07-decay"
  int number{};        ///< its place in a course; 0 without one
  std::string title{};
  std::string misconception{};  ///< that it removes, as somebody would say it
  int minutes{};
  std::vector<BoardEntry> wishes{};  ///< that it adds to the scoreboard of its course
  std::vector<BoardEntry> codes{};
  std::vector<LessonStep> steps{};

  /// Whether it fills in boxes of the scoreboard.
  bool has_ticks() const {
    return std::ranges::any_of(steps, [](const LessonStep& step) { return !step.ticks.empty(); });
  }
};

/// An error in a lesson's file.
struct Problem {
  std::string file{};
  int line{};
  std::string message{};  ///< value, rule and remedy
  /// "07-decay.md:31: base=abc: is not a number; write …".
  std::string text() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace orrery
