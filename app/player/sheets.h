#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/desktop_state.h"
#include "experiments/lessons/scoreboard.h"
#include "experiments/manual/topic.h"

namespace orrery {

/// Height of the board in the current font.
double scoreboard_height(const Scoreboard& board);

/// The boxes of a course's scoreboard, one row per code and one column per wish, at the cursor. New
/// boxes are framed; under the mouse a box says where it was settled and what its mark leaves out.
void draw_scoreboard(const Scoreboard& board, double width, const Ui& ui);

/// The scoreboard with its wishes written out and all its remarks, over the window: a class reads
/// it from the back row.
class ScoreboardSheet : public Overlay {
 public:
  void draw(const Scoreboard& board, const Ui& ui);
};

/// The lessons as cards. Arrow keys and Enter choose one, too.
class LessonSheet : public Overlay {
 public:
  /// A lesson as its card shows it.
  struct Card {
    std::filesystem::path file{};
    int number{};
    std::string title{};
    std::string misconception{};
    int minutes{};
    std::size_t steps{};
  };

  struct Chosen {
    std::filesystem::path file{};
    std::size_t step{};  ///< from 0
  };
  /// Returns the lesson that was chosen in this frame, and the step that it goes on with.
  std::optional<Chosen> draw(const std::map<std::string, LessonProgress>& read, const Ui& ui);

 private:
  std::vector<Card> cards_{};
};

/// The step that a reader goes on with, from 0: where he stopped, and the first of a lesson that
/// he has not begun or has read to its end.
std::size_t next_step(const LessonSheet::Card& card,
                      const std::map<std::string, LessonProgress>& read);

/// The pages of the manual: a list of topics and a page. Up and Down go through the topics, Page up
/// and Page down scroll.
class ManualSheet : public Overlay {
 public:
  /// Opens at this page; at the one that was read last when `topic` is empty.
  void open_at(std::string_view topic);
  void draw(const Ui& ui);

 private:
  void draw_topics(const Ui& ui);
  void draw_page(const Topic& topic, const Ui& ui);
  void show(const std::string& topic);

  std::string shown_{"desktop"};
  bool at_top_{true};  ///< whether the page begins at its top in the next frame
};

}  // namespace orrery
