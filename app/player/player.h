#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/lessons/parse_lesson.h"
#include "experiments/lessons/prediction.h"

namespace orrery {

/// Where a reader is in a lesson and what he has answered there. It knows of no screen: Director
/// applies its steps to the desktop.
class Player {
 public:
  /// What a reader, or a class, has done in a step. It is kept while the lesson is open.
  struct Work {
    Answer answer{};                   ///< as it is being made
    bool answered{};                   ///< whether there is anything in it
    std::vector<std::size_t> tally{};  ///< hands that were raised, for each option
    bool revealed{};
    bool done{};  ///< whether the task's condition has held since the step was shown
  };

  /// Opens a lesson at a step; one past the end is the last.
  void open(ParsedLesson parsed, std::filesystem::path file, std::size_t step = 0);
  /// Takes the newer text of the open lesson. The reader stays at his step, and his answers stay
  /// with every step whose title and question are as before.
  void reload(ParsedLesson parsed);
  void close();

  bool is_open() const { return open_; }
  const Lesson& lesson() const { return parsed_.lesson; }
  const std::vector<Problem>& problems() const { return parsed_.problems; }
  const std::filesystem::path& file() const { return file_; }
  std::size_t size() const { return parsed_.lesson.steps.size(); }
  std::size_t at() const { return at_; }
  const LessonStep& step() const { return parsed_.lesson.steps.at(at_); }
  const Work& work() const { return work_.at(at_); }
  Work& work() { return work_.at(at_); }

  /// Nothing is locked: any step can be shown. Returns whether it is another one.
  bool go_to(std::size_t step);
  /// What next() did.
  enum class Moved { nowhere, revealed, on };
  /// Reveals what the step hides; once it is revealed, goes on to the next one.
  Moved next();
  /// Goes to the step before. Returns whether there is one.
  bool back();

  /// Whether something of the step waits to be revealed: a prediction or a veil.
  bool hides() const;
  void reveal() { work().revealed = true; }
  /// Hides it again, for another class.
  void conceal() { work().revealed = false; }

  /// Raises a hand for an option, or lowers one with `by` = −1.
  void raise(std::size_t option, int by = 1);
  /// Answers an option or takes the answer back.
  void toggle_option(std::size_t option);
  /// Puts an item behind those that have been placed, or takes it out again.
  void toggle_item(std::size_t item);
  /// Marks a cell, or unmarks it.
  void toggle_cell(std::size_t row, std::size_t column);
  void guess(double number);
  /// Draws the curve at x; a curve has one value there.
  void draw(double x, double y);
  void erase();

  /// All answers of the step: those of the raised hands, and the one being made.
  std::vector<Answer> answers() const;

  /// A sandbox is a place to try things out; coming back shows the step as it was left.
  bool explores() const { return explores_; }
  void explore() { explores_ = true; }
  void come_back() { explores_ = false; }

 private:
  void keep_answers_of(const Lesson& before, const std::vector<Work>& work);

  ParsedLesson parsed_{};
  std::filesystem::path file_{};
  std::vector<Work> work_{};
  std::size_t at_{};
  bool open_{};
  bool explores_{};
};

/// Number of options of a choice, items of an order; 0 for other kinds.
std::size_t option_count(const Prediction& prediction);

}  // namespace orrery
