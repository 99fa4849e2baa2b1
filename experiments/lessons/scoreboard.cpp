#include "experiments/lessons/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/unknown_name.h"
#include "experiments/lessons/library.h"

namespace orrery {
namespace {

bool has_key(const std::vector<BoardEntry>& entries, const std::string& key) {
  return std::ranges::any_of(entries, [&](const BoardEntry& entry) { return entry.key == key; });
}

void add_entries(std::vector<BoardEntry>& to, const std::vector<BoardEntry>& more) {
  for (const BoardEntry& entry : more)
    if (!has_key(to, entry.key)) to.push_back(entry);
}

/// The lessons before this one, and this one as it is now: its file may have been edited.
std::vector<const Lesson*> lessons_up_to(std::span<const Lesson> course, const Lesson& lesson) {
  std::vector<const Lesson*> all;
  for (const Lesson& one : course)
    if (one.number > 0 && one.number < lesson.number) all.push_back(&one);
  all.push_back(&lesson);
  return all;
}

/// The board with empty boxes.
Scoreboard declared_by(const std::vector<const Lesson*>& lessons) {
  Scoreboard board;
  for (const Lesson* lesson : lessons) {
    add_entries(board.wishes, lesson->wishes);
    add_entries(board.codes, lesson->codes);
  }
  board.cells.resize(board.wishes.size() * board.codes.size());
  return board;
}

std::size_t index_of(const std::vector<BoardEntry>& entries, const std::string& key) {
  const auto found = std::ranges::find(entries, key, &BoardEntry::key);
  return static_cast<std::size_t>(found - entries.begin());
}

void apply(Scoreboard& board, const WishTick& tick, const std::string& where, bool is_new) {
  const std::size_t code = index_of(board.codes, tick.code);
  const std::size_t wish = index_of(board.wishes, tick.wish);
  if (code == board.codes.size() || wish == board.wishes.size()) return;
  board.cells[code * board.wishes.size() + wish] = {true, is_new, tick.mark, tick.remark, where};
}

/// A course is kept while one of its lessons is open: without settings, prose and figures.
Lesson with_ticks_alone(Lesson lesson) {
  for (LessonStep& step : lesson.steps)
    step = LessonStep{
        .line = step.line, .title = std::move(step.title), .ticks = std::move(step.ticks)};
  return lesson;
}

std::vector<std::string> keys_of(const std::vector<BoardEntry>& entries) {
  std::vector<std::string> keys;
  for (const BoardEntry& entry : entries) keys.push_back(entry.key);
  return keys;
}

}  // namespace

std::size_t Scoreboard::settled() const {
  return static_cast<std::size_t>(std::ranges::count_if(cells, &Cell::is_settled));
}

bool Scoreboard::has_news() const { return std::ranges::any_of(cells, &Cell::is_new); }

std::vector<Lesson> course_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  std::vector<Lesson> course;
  std::vector<std::filesystem::path> files;
  try {
    files = lessons_in(folder.empty() ? "." : folder);
  } catch (const std::exception&) {
    return course;
  }
  for (const std::filesystem::path& one : files) {
    try {
      Lesson lesson = read_lesson(one).lesson;
      if (lesson.number > 0) course.push_back(with_ticks_alone(std::move(lesson)));
    } catch (const std::exception&) {
      continue;  // A file that cannot be read settles nothing.
    }
  }
  std::ranges::stable_sort(course,
                           [](const Lesson& a, const Lesson& b) { return a.number < b.number; });
  return course;
}

Scoreboard scoreboard_at(std::span<const Lesson> course, const Lesson& lesson, std::size_t steps) {
  const std::vector<const Lesson*> lessons = lessons_up_to(course, lesson);
  Scoreboard board = declared_by(lessons);
  for (const Lesson* one : lessons) {
    const bool is_last = one == &lesson;
    const std::size_t all = one->steps.size(), count = is_last && steps < all ? steps : all;
    for (std::size_t step = 0; step < count; ++step)
      for (const WishTick& tick : one->steps[step].ticks)
        apply(board, tick, fmt::format("lesson {}, step {}", one->number, step + 1),
              is_last && step + 1 == count);
  }
  return board;
}

void check_tick(const WishTick& tick, std::span<const Lesson> course, const Lesson& lesson) {
  const Scoreboard board = declared_by(lessons_up_to(course, lesson));
  if (!has_key(board.codes, tick.code))
    throw_unknown_name(tick.code, "a code of the scoreboard", keys_of(board.codes));
  if (!has_key(board.wishes, tick.wish))
    throw_unknown_name(tick.wish, "a wish of the scoreboard", keys_of(board.wishes));
}

std::string mark_text(const Scoreboard::Cell& cell) {
  if (!cell.is_settled) return "";
  if (cell.mark == WishTick::Mark::partly) return "(✓)";
  return cell.mark == WishTick::Mark::yes ? "✓" : "✗";
}

std::vector<std::string> new_remarks(const Scoreboard& board) {
  std::vector<std::string> remarks;
  for (std::size_t code = 0; code < board.codes.size(); ++code)
    for (std::size_t wish = 0; wish < board.wishes.size(); ++wish) {
      const Scoreboard::Cell& cell = board.at(code, wish);
      if (cell.is_new && !cell.remark.empty())
        remarks.push_back(
            fmt::format("{}, {}: {}", board.codes[code].text, board.wishes[wish].key, cell.remark));
    }
  return remarks;
}

}  // namespace orrery
