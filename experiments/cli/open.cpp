// open: starts the desktop with an experiment, a preset or a result.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/desktop.h"
#include "experiments/setup/plugins.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery {
namespace {

struct OpenOptions {
  std::string name{}, render{};
  Words words{};
};

namespace fs = std::filesystem;

/// The desktop's arguments for the view and settings of one combination.
Words words_of(const SweepSpec& spec) {
  Words words{"--view", spec.experiment->info.name};
  const Combinations all = combinations_of(spec);
  if (all.points.size() > 1)
    throw UsageError(spec.name, fmt::format("has {} points", all.points.size()),
                     "fix the values that are swept: open NAME key=value");
  for (const std::string& word : all.points.front().params.overrides()) words.push_back(word);
  return words;
}

Words desktop_words(const OpenOptions& options) {
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
    return command_line({"orrery", "report", options.name}) + " writes a page with all of it";
  Words words{"orrery", "run", options.name};
  words.insert(words.end(), options.words.begin(), options.words.end());
  Words drawn{"orrery", "open", options.name};
  drawn.insert(drawn.end(), options.words.begin(), options.words.end());
  drawn.insert(drawn.end(), {"--render", "pictures"});
  return fmt::format("{} writes figures and numbers, and {} what the window would show",
                     command_line(words), command_line(drawn));
}

int open_desktop(const OpenOptions& options) {
  Words words = desktop_words(options);
  if (options.render.empty())
    require_display("open", instead_of(options));
  else
    words.insert(words.end(), {"--render", options.render});
  return start_desktop(std::move(words));
}

}  // namespace

Command open_command() {
  const auto o = std::make_shared<OpenOptions>();
  Command command{"open",
                  "Open an experiment, a preset, or the folder of a result or a sweep in the "
                  "desktop",
                  [o] { return open_desktop(*o); }};
  command.options = {
      {"NAME", &o->name, "An experiment, a preset, a .toml file or a result's folder"},
      {"--render", &o->render, "Draw it into this folder as PNG instead"}};
  command.words = &o->words;
  command.footer = R"(Examples:
  orrery open long_term_decay dim=64
  orrery open roformer_figure_2
  orrery open results/decay)";
  return command;
}

}  // namespace orrery
