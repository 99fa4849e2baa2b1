#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/lessons/parse_lesson.h"

namespace orrery {

/// The files of lessons: those that come with Orrery, in the order of their numbers.
std::vector<std::filesystem::path> bundled_lessons();
/// The .md files of a folder by name, without README.md. Throws IoError.
std::vector<std::filesystem::path> lessons_in(const std::filesystem::path& folder);

/// The files that a word means: a folder, a file, or a lesson that comes with Orrery by its name
/// ("07-decay"), its number ("7") or its name without the number ("decay"). Throws UsageError with
/// the nearest name, IoError.
std::vector<std::filesystem::path> lessons_named(const std::string& word);

/// Whether a lesson that comes with Orrery is called so, by its name or its number.
bool is_lesson(const std::string& word);

/// The lessons that come with Orrery and their files; a file that cannot be read is left out.
std::vector<std::pair<std::filesystem::path, Lesson>> readable_lessons();

/// Reads and parses a file. Throws IoError, and DataError for one of more than 1 MiB.
ParsedLesson read_lesson(const std::filesystem::path& file);

}  // namespace orrery
