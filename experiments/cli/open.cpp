// open: starts the desktop with an experiment, a preset or a result.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/setup/plugins.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* desktop_name = "orrery-desktop";

/// Found beside this program, where the build puts it, or through PATH.
std::string desktop_program() {
  std::error_code failure;
  const fs::path here = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (const fs::path& path : {here / desktop_name, here / ".." / "app" / desktop_name})
    if (fs::exists(path, failure)) return path.string();
  return desktop_name;
}

/// The desktop's arguments for the view and settings of one combination.
std::vector<std::string> words_of(const SweepSpec& spec) {
  std::vector<std::string> words{"--view", spec.experiment->info.name};
  const Combinations all = combinations_of(spec);
  if (all.points.size() > 1)
    throw UsageError(spec.name, fmt::format("has {} points", all.points.size()),
                     "fix the values that are swept: open NAME key=value");
  for (const std::string& word : all.points.front().params.overrides()) words.push_back(word);
  return words;
}

std::vector<std::string> desktop_words(const OpenOptions& options) {
  if (options.name.empty()) return {};
  std::error_code failure;
  if (fs::is_directory(options.name, failure)) {
    if (!options.words.empty())
      throw UsageError(options.words.front(), "cannot change a result that was saved",
                       "open the folder alone, then choose Open these settings live");
    return {"--open", options.name};
  }
  SweepSpec spec = sweep_spec_named(options.name);
  apply_words(spec, options.words);
  for (const std::string& note : spec.notes) tell(note + "\n");
  return words_of(spec);
}

/// What tells the same in a terminal or in files.
std::string instead_of(const OpenOptions& options) {
  if (options.name.empty()) return "orrery list, and orrery run NAME, tell it in a terminal";
  std::error_code failure;
  if (fs::is_directory(options.name, failure))
    return setup::command_line({"orrery", "report", options.name}) +
           " writes a page with all of it";
  std::vector<std::string> words{"orrery", "run", options.name};
  words.insert(words.end(), options.words.begin(), options.words.end());
  std::vector<std::string> drawn{"orrery", "open", options.name};
  drawn.insert(drawn.end(), options.words.begin(), options.words.end());
  drawn.insert(drawn.end(), {"--render", "pictures"});
  return fmt::format("{} writes figures and numbers, and {} what the window would show",
                     setup::command_line(words), setup::command_line(drawn));
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value != '\0';
}

}  // namespace

void require_display(const std::string& what, const std::string& instead) {
  if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) return;
  throw IoError(what, "needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set", instead);
}

int start_desktop(std::vector<std::string> words) {
  words.insert(words.begin(), desktop_program());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw IoError(words.front(), "cannot be started",
                "build it with ORRERY_DESKTOP=ON, or install it beside orrery");
}

int open_command(const OpenOptions& options) {
  std::vector<std::string> words = desktop_words(options);
  if (options.render.empty())
    require_display("open", instead_of(options));
  else
    words.insert(words.end(), {"--render", options.render});
  return start_desktop(std::move(words));
}

}  // namespace orrery::cli
