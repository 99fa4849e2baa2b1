#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/player/player.h"
#include "app/player/step_screen.h"
#include "app/session/session.h"
#include "app/session/task.h"
#include "experiments/lessons/evaluate.h"
#include "experiments/lessons/scoreboard.h"

namespace orrery {

/// Shows the steps of a lesson on the desktop: applies their states, with motion between two of the
/// same experiment, hides what is to be predicted, judges what is to be done, and gives the
/// reader's own state back at the end.
class Director {
 public:
  /// What holds of a step with the settings on screen.
  struct Findings {
    std::optional<Verdict> task{};    ///< of the step's task
    std::string hint{};               ///< that fits; empty without one
    std::vector<PlacedNote> notes{};  ///< at their places
    std::string trouble{};            ///< why something of the step could not be read
  };

  explicit Director(Session& session) : session_(session), truth_asker_(session.results()) {}

  /// Opens the first of the files that the word means, see lessons_named, at a step from 0. Throws
  /// UsageError and IoError.
  void open(const std::string& word, std::size_t step = 0);
  void open_file(const std::filesystem::path& file, std::size_t step = 0);
  /// Leaves the lesson; everything is as it was before.
  void leave();

  bool is_open() const { return player_.is_open(); }
  /// Whether a step is on screen, and no sandbox.
  bool shows_step() const { return is_open() && !player_.explores() && player_.size() > 0; }
  /// Where changes of settings belong to: the step, before or after its reveal, or its sandbox.
  /// Empty outside of lessons.
  std::string place() const;
  const Player& player() const { return player_; }
  Player& player() { return player_; }

  void next();
  void back();
  void go_to(std::size_t step);
  void reveal();
  /// Hides what was revealed, so that it can be predicted again.
  void conceal();
  /// Sets the step's own state again.
  void restart();
  void explore();
  void come_back();

  /// Once per frame, `seconds` after the one before: takes what was computed or edited, and moves.
  void update(double seconds);
  /// Whether the settings are on their way.
  bool is_moving() const { return motion_ && !motion_->held; }
  /// Whether the answer to the prediction is being computed.
  bool is_computing() const { return truth_asker_.status().busy; }

  const Findings& findings() const { return findings_; }
  /// The scoreboard of the course with all that is settled so far; what the step itself settles is
  /// on it once nothing waits to be revealed. Empty for a lesson without one.
  Scoreboard scoreboard() const;
  /// The answer to the step's prediction; null until it has been computed.
  const Answer* truth() const { return truth_ ? &*truth_ : nullptr; }

  /// Scrolls the text of the step by this many pages in the next frame.
  void scroll(double pages) { scroll_pages_ += pages; }
  /// What is to be scrolled; it is not asked for again.
  double take_scroll() { return std::exchange(scroll_pages_, 0.0); }

  /// Shows a step after a share of the way from the one before, 0 to 1, without a clock. Returns
  /// whether there is motion between the two.
  bool pose(std::size_t step, double share);

 private:
  struct Motion {
    ParamSet from;
    ParamSet to;
    std::string figure{};  ///< whose axes move; empty: none
    FigureView view_from{};
    FigureView view_to{};
    double seconds{};
    bool held{};  ///< stays at the place of `seconds`
    double share() const { return seconds / motion_seconds; }
  };

  void show_step(bool with_motion);
  std::optional<Motion> motion_from(const StepState& before) const;
  void begin_motion(Motion motion);
  void move();
  void move_axes();
  void begin_step();
  void seek_truth();
  void take_truth();
  void reload();
  void examine();
  void veil();
  void unveil();
  void veil_series(const std::string& figure, const std::string& series, bool keep_axes);
  bool shows_own_result() const;

  Session& session_;
  Player player_{};
  std::optional<DesktopState> own_{};      ///< the reader's, from before the lesson
  std::optional<double> own_distance_{};   ///< that he held
  std::optional<DesktopState> stepped_{};  ///< the step as it was left for the sandbox
  std::optional<Motion> motion_{};
  Findings findings_{};
  std::shared_ptr<const Result> examined_{};
  std::optional<Answer> truth_{};
  /// The results that the truth is found in, by the words that set them apart from the step.
  std::map<std::vector<std::string>, std::shared_ptr<const Result>> truth_results_{};
  std::vector<std::string> truth_words_{};  ///< of the result that is asked for
  ResultStore::Asker truth_asker_;
  std::unique_ptr<FileWatch> watch_{};
  std::vector<Lesson> course_{};
  double scroll_pages_{};
  bool veiled_{};
};

/// The series that a step hides until the reveal: figure and series as the lesson names them.
std::vector<DrawCurve> veiled_series(const LessonStep& step);

}  // namespace orrery
