// lesson: lists and checks lessons.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/lessons/check_lesson.h"
#include "experiments/lessons/handout.h"
#include "experiments/lessons/library.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const LessonOptions& options) {
  std::vector<fs::path> files;
  for (const std::string& name : options.names)
    for (const fs::path& file : lessons_named(name)) files.push_back(file);
  if (options.names.empty()) files = bundled_lessons();
  if (files.empty())
    throw UsageError(fmt::format("{}", fmt::join(options.names, " ")), "holds no lessons",
                     "name a folder with .md files");
  return files;
}

int list_lessons(const LessonOptions& options) {
  for (const fs::path& file : files_of(options)) {
    const Lesson lesson = read_lesson(file).lesson;
    const std::string facts = fmt::format("{} steps, {} min", lesson.steps.size(), lesson.minutes);
    print(
        fmt::format("{} {} {}\n", bold(padded(lesson.name, 24)), padded(lesson.title, 44), facts));
    print(fmt::format("{} dies here: “{}”\n", padded("", 24), lesson.misconception));
  }
  return exit_ok;
}

int check_lessons(const LessonOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  ResultCache results;
  std::size_t problems = 0, assertions = 0, steps = 0, lessons = 0;
  for (const fs::path& file : files_of(options)) {
    const ParsedLesson parsed = read_lesson(file);
    ConsoleProgress progress(false);
    const LessonCheck found = check_lesson(parsed, file.string(), results, progress);
    for (const Problem& problem : found.problems) print(problem.text() + "\n");
    problems += found.problems.size();
    assertions += found.assertions;
    steps += parsed.lesson.steps.size();
    ++lessons;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  tell(fmt::format("{} lessons, {} steps, {} statements, {} computations, {:.1f} s: {}\n", lessons,
                   steps, assertions, results.computed(), taken.count(),
                   problems == 0   ? std::string("all hold")
                   : problems == 1 ? std::string("1 problem")
                                   : fmt::format("{} problems", problems)));
  return problems == 0 ? exit_ok : exit_failed;
}

/// Throws the first problem: a handout of a broken lesson would teach what is wrong.
const Lesson& sound(const ParsedLesson& parsed) {
  if (parsed.problems.empty()) return parsed.lesson;
  throw DataError(parsed.problems.front().text(), "the lesson cannot be printed so",
                  "see orrery lesson check");
}

int print_lessons(const LessonOptions& options) {
  const fs::path folder = options.out.empty() ? current_folder() : fs::path(options.out);
  ResultCache results;
  for (const fs::path& file : files_of(options)) {
    const ParsedLesson parsed = read_lesson(file);
    ConsoleProgress progress(is_quiet());
    const Handout handout = make_handout(sound(parsed), results, progress);
    const fs::path stem = folder / parsed.lesson.name;
    atomic_write(stem.string() + ".html", handout_html(handout));
    atomic_write(stem.string() + ".pdf", handout_pdf(handout));
    tell(fmt::format("wrote {}.html and .pdf\n", stem.string()));
  }
  return exit_ok;
}

}  // namespace

int lesson_command(const LessonOptions& options) {
  if (options.action == "list") return list_lessons(options);
  return options.action == "check" ? check_lessons(options) : print_lessons(options);
}

}  // namespace orrery::cli
