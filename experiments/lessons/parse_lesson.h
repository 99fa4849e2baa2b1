#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/lessons/lesson.h"

namespace orrery {

/// A lesson, and everything that is wrong with its text. What could be read is there in any case,
/// so that a player shows the sound steps beside the errors.
struct ParsedLesson {
  Lesson lesson{};
  std::vector<Problem> problems{};  ///< by line
};

/// Reads the Markdown of a lesson. Computes nothing, and throws nothing for any text.
/// @param file  its name in messages; the lesson's name is its stem
ParsedLesson parse_lesson(std::string_view markdown, const std::string& file);

}  // namespace orrery
