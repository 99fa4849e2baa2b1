#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/lessons/lesson.h"
#include "experiments/text/guarded.h"

namespace orrery {

/// A line of a file, counted from 1.
struct Line {
  int number{};
  std::string text{};
};

/// A fenced block: ```NAME … ```.
struct LessonBlock {
  std::string name{};
  int line{};  ///< of the fence that opens it
  std::vector<Line> lines{};

  /// All lines, joined as in the file.
  std::string text() const;
  /// All lines, joined by spaces.
  std::string sentence() const;
};

/// "KEY: value" of a block; a line that begins with a space goes on with the value before it.
struct Field {
  int line{};
  std::string key{};
  std::string value{};
};

/// The fields of a block. Throws UsageError for a line that is none.
std::vector<Field> fields_of(const LessonBlock& block);

/// The lines that are neither empty nor begin with #.
std::vector<Line> statements_of(const LessonBlock& block);

/// The text without spaces at its ends.
std::string trimmed(std::string_view text);
/// The first place of `part` in the text outside of double quotes; npos where there is none.
std::size_t find_unquoted(std::string_view text, std::string_view part);
/// The last such place.
std::size_t rfind_unquoted(std::string_view text, std::string_view part);
/// The words of a text; in double quotes they may have spaces.
std::vector<std::string> words_in(std::string_view text);

/// Reads a block into the lesson or its step; `step` is null above the first one. Every statement
/// of the block is read under the guard, so that one error hides no other. Throws UsageError for a
/// block of an unknown name, in the wrong place or a second time.
void read_block(const LessonBlock& block, Lesson& lesson, LessonStep* step, const Guarded& guarded);

/// "with KEY=VALUE …: ASSERTION", or an assertion alone.
Expectation read_expectation(const Line& line);

/// Reads the block predict.
Prediction read_prediction(const LessonBlock& block, const Guarded& guarded);

/// Reads the block scoreboard: the wishes and codes that a lesson brings into its course.
void read_scoreboard(const LessonBlock& block, Lesson& lesson, const Guarded& guarded);

/// Reads a line of the block tick, "CODE WISH: yes if ASSERTION % REMARK", which settles a box of the
/// scoreboard; the remark may be left out.
WishTick read_tick(const Line& line);

/// What reads the value of each key of a block, by key.
using KeyReaders = std::vector<std::pair<std::string, std::function<void()>>>;
/// Reads the field. Throws UsageError for a key that is none of these.
void read_key(const Field& field, std::string_view block, const KeyReaders& keys);

}  // namespace orrery
