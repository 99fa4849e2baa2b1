#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiments/lessons/lesson.h"

namespace orrery {

/// The scoreboard of a course, at a place in it: which code grants which wish, as far as the steps
/// up to there have settled it.
struct Scoreboard {
  struct Cell {
    bool is_settled{};
    bool is_new{};  ///< by the last of these steps
    WishTick::Mark mark{WishTick::Mark::yes};
    std::string remark{};
    std::string where{};  ///< "lesson 6, step 3"
  };
  std::vector<BoardEntry> wishes{};  ///< its columns
  std::vector<BoardEntry> codes{};   ///< its rows
  std::vector<Cell> cells{};         ///< row by row

  bool is_empty() const { return wishes.empty() || codes.empty(); }
  const Cell& at(std::size_t code, std::size_t wish) const {
    return cells[code * wishes.size() + wish];
  }
  std::size_t settled() const;
  bool has_news() const;
};

/// The lessons beside a file that have a number, by number: its course, the file's own lesson among
/// them. Steps have nothing but titles and ticks; what cannot be read is left out.
std::vector<Lesson> course_of(const std::filesystem::path& file);

/// The scoreboard after the lessons of the course before `lesson` and after its first `steps`
/// steps. A later tick of the same box replaces an earlier one. Only what these lessons declare is
/// on it: before the one that brings the scoreboard in it is empty.
Scoreboard scoreboard_at(std::span<const Lesson> course, const Lesson& lesson, std::size_t steps);

/// Throws UsageError, with the nearest name, for a tick of a code or a wish that no lesson of the
/// course up to `lesson` declares.
void check_tick(const WishTick& tick, std::span<const Lesson> course, const Lesson& lesson);

/// "✓", "✗" and, for partly, "(✓)"; empty for a box that is not settled.
std::string mark_text(const Scoreboard::Cell& cell);

/// The remarks of the boxes that are new, as "RoPE, distance: …".
std::vector<std::string> new_remarks(const Scoreboard& board);

}  // namespace orrery
