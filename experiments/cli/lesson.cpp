// lesson: lists, checks, prints and shows lessons; the desktop plays and renders them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/desktop.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/lessons/check_lesson.h"
#include "experiments/lessons/handout.h"
#include "experiments/lessons/library.h"
#include "experiments/lessons/scoreboard.h"
#include "experiments/setup/plugins.h"
#include "experiments/text/display_width.h"

namespace orrery {
namespace {

struct LessonOptions {
  std::string action{}, out{}, size{}, theme{};
  Words names{};  ///< lessons, files or folders; none: all that come with Orrery
  std::size_t step{}, motion{};
  bool projector{};
};

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
    print(fmt::format("{} {} {}\n", bold(padded(lesson.name, 24)),
                      padded(plain_text(lesson.title), 44), facts));
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

/// Only an older handout may be replaced.
void require_ours(const std::string& page) {
  constexpr std::uintmax_t largest = std::uintmax_t{1} << 30;
  std::error_code failure;
  if (fs::exists(page, failure) &&
      read_file(page, largest).substr(0, 400).find("content=\"orrery lesson\"") ==
          std::string::npos)
    throw IoError(page, "is not a handout of orrery, so it is not replaced",
                  "choose another folder with --out");
}

int print_lessons(const LessonOptions& options) {
  const fs::path folder = options.out.empty() ? current_folder() : fs::path(options.out);
  ResultCache results;
  for (const fs::path& file : files_of(options)) {
    const ParsedLesson parsed = read_lesson(file);
    const std::string page = (folder / parsed.lesson.name).string() + ".html";
    require_ours(page);
    ConsoleProgress progress(is_quiet());
    atomic_write(page, html_of(make_handout(sound(parsed), course_of(file), results, progress)));
    tell(fmt::format("wrote {}\n", page));
  }
  return exit_ok;
}

void show_list(std::string_view heading, const std::vector<std::string>& items) {
  if (!items.empty()) print(fmt::format("\n{}\n", heading));
  for (const std::string& item : items) print(fmt::format("  {}\n", item));
}

void show_table(const PaperCard& card) {
  std::vector<std::vector<std::string>> lines{card.header};
  lines.insert(lines.end(), card.rows.begin(), card.rows.end());
  std::vector<std::size_t> widths(card.header.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], display_width(line[i]));
  print("\n");
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool last = i + 1 == line.size();
      text += "  " + (last ? line[i] : padded(line[i], widths[i]));
    }
    print(text + "\n");
  }
}

void show_card(const PaperCard& card) {
  print(fmt::format("{}\n\n{}\n", bold(card.title), card.says));
  if (!card.rows.empty()) show_table(card);
  show_list("How it was made", card.settings);
  show_list("What it does not show", card.caveats);
  if (card.experiment)
    print(fmt::format("\nCompute it\n  {}\n  orrery open{}\n", command_of(card),
                      command_of(card).substr(std::string_view("orrery run").size())));
}

int show_cards(const LessonOptions& options) {
  for (std::size_t i = 0; i < options.names.size(); ++i) {
    if (i > 0) print("\n");
    show_card(card_named(options.names[i]));
  }
  if (!options.names.empty()) return exit_ok;
  for (const PaperCard& card : paper_cards())
    print(fmt::format("{} {}\n", bold(padded(card.name, 14)), card.title));
  return exit_ok;
}

/// Opens a lesson in the desktop, or draws its steps there without a display.
int play_lesson(const LessonOptions& options) {
  const bool renders = options.action == "render";
  if (options.names.size() != 1)
    throw UsageError("lesson " + options.action, "takes one lesson",
                     fmt::format("try orrery lesson {} decay", options.action));
  const auto files = lessons_named(options.names.front());
  if (files.size() != 1)
    throw UsageError(options.names.front(), "is not one lesson", "see orrery lesson list");
  Words words{"--lesson", files.front().string()};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  if (options.step > 0) add("--step", fmt::format("{}", options.step));
  add("--theme", options.theme);
  if (renders) {
    add("--render", options.out.empty() ? "." : options.out);
    add("--size", options.size);
    if (options.motion > 0) add("--motion", fmt::format("{}", options.motion));
    if (options.projector) words.emplace_back("--projector");
  }
  if (!renders) {
    const std::string& name = options.names.front();
    require_display(
        "lesson play",
        fmt::format("{} writes it as a page with its figures, and {} a picture per step",
                    command_line({"orrery", "lesson", "print", name}),
                    command_line({"orrery", "lesson", "render", name})));
  }
  return start_desktop(std::move(words));
}

int lesson(const LessonOptions& options) {
  if (options.action == "list") return list_lessons(options);
  if (options.action == "play" || options.action == "render") return play_lesson(options);
  if (options.action == "show") return show_cards(options);
  return options.action == "check" ? check_lessons(options) : print_lessons(options);
}

}  // namespace

Command lesson_command() {
  const auto o = std::make_shared<LessonOptions>();
  Command command{"lesson",
                  "List, check, print, play or render lessons, or show what the paper says",
                  [o] { return lesson(*o); }};
  command.options = {
      {"ACTION",
       &o->action,
       "list, check, print, show, play or render",
       {.required = true, .choices = {"list", "check", "print", "show", "play", "render"}}},
      {"NAME", &o->names,
       "A lesson by name or number, a .md file, or a folder of them; all that come "
       "with Orrery where none is named; for show a table, figure or section"},
      {"--out", &o->out, "Folder for the handouts of print and the pictures of render"},
      {"--step", &o->step, "Step of play and render, from 1"},
      {"--motion", &o->motion, "Frames of render of the motion from each step to the next"},
      {"--size", &o->size, "Pixels of render: 1280x800"},
      {"--theme", &o->theme, "Colours of play and render: dark, light or print"},
      {"--projector", &o->projector, "Renders what projector mode shows"}};
  command.footer = R"(Examples:
  orrery lesson list
  orrery lesson check
  orrery lesson check 4 decay
  orrery lesson print decay --out handouts
  orrery lesson show table-2
  orrery lesson play decay --step 3
  orrery lesson render decay --out frames --motion 12 --size 1920x1080

check computes the state of every step and evaluates every statement, link and prediction;
what is wrong is listed as FILE:LINE, and the exit status is then 1.
print makes NAME.html, which a browser prints: a handout with figures, equations, room for
predictions and the answers at the end.
show prints a table, a figure or a section of the RoFormer paper with its settings, what it
does not show, and the command that computes it; without a name it lists them.
play opens a lesson in the desktop; render writes its steps as PNG files, without a display.)";
  return command;
}

}  // namespace orrery
