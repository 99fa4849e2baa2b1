#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/headless/render_views.h"
#include "app/headless/script.h"
#include "app/session/session_file.h"
#include "app/session/task.h"
#include "app/shell/start.h"
#include "experiments/files/file.h"
#include "experiments/files/notices.h"
#include "experiments/results/memory.h"
#include "experiments/setup/plugins.h"
#include "experiments/text/printable.h"

namespace {

using orrery::RenderOptions;

// Exit codes.
constexpr int exit_ok = 0, exit_failed = 1, exit_usage = 2, exit_data = 3, exit_io = 4;

constexpr const char* render_folder = "orrery-views";

void declare(CLI::App& cli, RenderOptions& options) {
  cli.add_option("--render", options.folder,
                 "Write a PNG of every view into this folder, without a display, and exit");
  cli.add_option("--view", options.start.view, "Show only this view, named by its experiment");
  cli.add_option("--open", options.start.open,
                 "Open a folder that orrery run or sweep wrote, or a file of tensors or text");
  cli.add_option("--lesson", options.start.lesson,
                 "Open a lesson by name, number or file; with --render: write a PNG of each step");
  cli.add_option("--step", options.start.step, "The step of the lesson to open, from 1");
  cli.add_option("--theme", options.start.theme,
                 "dark, light or print; default: as in the last session");
  cli.add_option("--size", options.size, "Width and height in pixels")->default_str("1280x800");
  cli.add_option("--scale", options.start.scale,
                 "Scale of the interface: 1 for a desk, 1.5 for a projector")
      ->default_str("as in the last session, or 1");
  cli.add_option("--motion", options.motion,
                 "With --render and --lesson: frames of the motion from each step to the next");
  cli.add_flag("--projector", options.projector, "With --render: in projector mode");
  cli.add_option_function<std::vector<std::string>>(
         "--plugin", [](const std::vector<std::string>&) {},
         "Load a shared library with encodings of your own; again for another")
      ->type_name("FILE")
      ->allow_extra_args(false);
  cli.add_flag("--no-restore", options.start_afresh,
               "Start with the defaults and do not touch the saved session");
  cli.add_option("--show", options.show,
                 "With --render: perform this action first, for example palette");
  cli.add_option(
      "--script", options.script,
      "With --render: play this script of clicks, keys and expectations, which takes the "
      "pictures");
  cli.add_option("parameters", options.start.overrides,
                 "key=value of the view given by --view; or a path, as --open takes it");
  cli.footer(
      "Examples:\n"
      "  orrery-desktop\n"
      "  orrery-desktop results\n"
      "  orrery-desktop --render pictures --theme light\n"
      "  orrery-desktop --render pictures --view long_term_decay dim=256 base=5e5\n"
      "A script plays a session. Each line is a step; the next one waits for all computations:\n"
      "  click view rotation            also right-click, double-click, move, wheel STEPS\n"
      "  drag param base 0.3 to param base 0.8\n"
      "  drag figure decay_bound 20% 50% to figure decay_bound 40% 50%\n"
      "  press Ctrl+Z                   type TEXT, do ACTION, set KEY=VALUE, drop FILE, wait "
      "SECONDS\n"
      "  expect param base is 10000     or: has PART; also view, figure, message, zoom FIGURE …\n"
      "  picture before                 writes before.png");
}

/// No key has a slash, and every setting has an equals sign.
bool is_path(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals == std::string::npos || word.find('/') < equals;
}

/// File managers and menus pass the path on by itself.
void take_path(orrery::StartOptions& start) {
  const auto path = std::find_if(start.overrides.begin(), start.overrides.end(), is_path);
  if (path == start.overrides.end()) return;
  if (!start.open.empty())
    throw orrery::UsageError(*path, "is a second path beside " + start.open,
                             "open one of them, and drop the other on the window");
  start.open = *path;
  start.overrides.erase(path);
  take_path(start);
}

int exit_status(orrery::ErrorKind kind) {
  switch (kind) {
    case orrery::ErrorKind::usage:
      return exit_usage;
    case orrery::ErrorKind::data:
      return exit_data;
    case orrery::ErrorKind::io:
    case orrery::ErrorKind::plan:
    case orrery::ErrorKind::locked:
    case orrery::ErrorKind::not_finite:
      return exit_io;
  }
  return exit_io;
}

/// The remedy where what was to be opened has no window.
std::string without_window(const orrery::StartOptions& start) {
  return start.lesson.empty() ? "orrery report FOLDER writes a page with all of a result"
                              : "orrery lesson print NAME writes it as a page with its figures";
}

/// Opens the window. Without a display it renders the views into a folder and says so, unless
/// something was to be opened. Throws IoError.
int open_or_render(RenderOptions options) {
  std::string reason;
  orrery::StartOptions start = options.start;
  if (!options.start_afresh) start.session = orrery::session_path();
  if (orrery::run_window(start, reason)) return exit_ok;
  if (!options.start.open.empty() || !options.start.lesson.empty())
    throw orrery::IoError("no window", reason, without_window(options.start));
  std::fprintf(stderr,
               "orrery-desktop: no window: %s\n"
               "Drawing every view into ./%s instead. To see results without a display:\n"
               "  orrery run long_term_decay --out results\n",
               reason.c_str(), render_folder);
  options.folder = render_folder;
  orrery::render_views(options);
  return exit_ok;
}

int run(int argc, char** argv) {
  CLI::App cli("Orrery's desktop: explore how transformers encode token positions");
  RenderOptions options;
  declare(cli, options);
  try {
    orrery::load_plugins({argv, argv + argc});  // before anything asks for encodings
    cli.parse(argc, argv);
    take_path(options.start);
    if (options.folder.empty() && !options.script.empty())
      throw orrery::UsageError("--script " + options.script, "needs --render",
                               "add --render DIR, the folder for its pictures");
    if (options.folder.empty()) return open_or_render(options);
    orrery::render_views(options);
    return exit_ok;
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? exit_ok : exit_usage;
  } catch (const orrery::Error& error) {
    std::fprintf(stderr, "orrery-desktop: %s\n", error.what());
    return exit_status(error.kind());
  } catch (const orrery::ScriptFailure& failure) {
    std::fprintf(stderr, "orrery-desktop: %s\n", failure.what());
    return exit_failed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "orrery-desktop: %s\n", error.what());
    return exit_io;
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int most_kept = 256 << 20;
  orrery::keep_freed_memory(most_kept);
  orrery::set_notice_sink([](const std::string& line) {
    std::fprintf(stderr, "orrery-desktop: %s\n", orrery::without_controls(line).c_str());
  });
  orrery::leave(run(argc, argv));
}
