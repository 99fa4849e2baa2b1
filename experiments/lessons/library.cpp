#include "experiments/lessons/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/files/assets.h"
#include "experiments/files/file.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 20;

/// "07-decay" answers to itself, "decay", "7" and "07".
bool answers_to(const std::string& name, const std::string& word) {
  const std::size_t dash = name.find('-');
  if (name == word || dash == std::string::npos) return name == word;
  std::string number = name.substr(0, dash);
  if (name.substr(dash + 1) == word || number == word) return true;
  number.erase(0, number.find_first_not_of('0'));
  return number == word;
}

}  // namespace

std::vector<fs::path> bundled_lessons() { return lessons_in(asset_path("lessons")); }

std::vector<fs::path> lessons_in(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (entry->path().extension() == ".md" && entry->path().filename() != "README.md")
      files.push_back(entry->path());
  if (failure)
    throw IoError(folder.string(), fmt::format("cannot be read ({})", failure.message()),
                  "name a folder with lessons");
  std::sort(files.begin(), files.end());
  return files;
}

bool is_lesson(const std::string& word) {
  const std::vector<fs::path> lessons = bundled_lessons();
  return std::any_of(lessons.begin(), lessons.end(),
                     [&](const fs::path& file) { return answers_to(file.stem().string(), word); });
}

std::vector<fs::path> lessons_named(const std::string& word) {
  std::error_code failure;
  std::vector<std::string> names;
  for (const fs::path& file : bundled_lessons()) {
    names.push_back(file.stem().string());
    if (answers_to(names.back(), word)) return {file};
  }
  if (fs::is_directory(word, failure)) return lessons_in(word);
  if (word.ends_with(".md") || fs::exists(word, failure)) return {word};
  // Names without their numbers are what one types.
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back(name.substr(name.find('-') + 1));
  const auto near = std::find(words.begin(), words.end(), nearest_name(word, words));
  if (near != words.end())
    throw UsageError(word, "is not a lesson", fmt::format("did you mean {}?", *near));
  throw_unknown_name(word, "a lesson", names);
}

ParsedLesson read_lesson(const fs::path& file) {
  return parse_lesson(read_file(file, max_file_bytes), file.string());
}

std::vector<std::pair<fs::path, Lesson>> readable_lessons() {
  std::vector<std::pair<fs::path, Lesson>> lessons;
  for (const fs::path& file : bundled_lessons()) {
    try {
      lessons.emplace_back(file, read_lesson(file).lesson);
    } catch (const std::exception&) {
      continue;
    }
  }
  return lessons;
}

}  // namespace orrery
