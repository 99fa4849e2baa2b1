#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/render_views.h"
#include "app/script.h"
#include "app/session_file.h"
#include "app/start.h"
#include "app/window.h"
#include "experiments/data/file.h"

namespace {

using orrery::RenderOptions;

// What the program ends with.
constexpr int kOk = 0, kFailed = 1, kUsage = 2, kData = 3, kIo = 4;

constexpr const char* kRenderFolder = "orrery-views";

void declare(CLI::App& cli, RenderOptions& options) {
  cli.add_option("--render", options.folder,
                 "Draw every view into this folder as PNG, without a display, and end");
  cli.add_option("--view", options.start.view, "Only this view, by the name of its experiment");
  cli.add_option("--open", options.start.open,
                 "A folder that orrery run or sweep wrote, or a file of tensors or text");
  cli.add_option("--theme", options.start.theme, "dark, light or print; else as it was");
  cli.add_option("--size", options.size, "Width and height in pixels")->default_str("1280x800");
  cli.add_option("--scale", options.start.scale,
                 "Size of everything: 1 for a desk, 1.5 for a projector")
      ->default_str("as it was, or 1");
  cli.add_flag("--no-restore", options.start_afresh, "Leave the last session alone and begin anew");
  cli.add_option("--show", options.show,
                 "With --render: what to open over the view, by the name of its action");
  cli.add_option("--script", options.script,
                 "With --render: a file of clicks, keys and expectations to play; it takes the "
                 "pictures");
  cli.add_option("parameters", options.start.overrides, "key=value of the view given by --view");
  cli.footer(
      "Examples:\n"
      "  orrery-desktop\n"
      "  orrery-desktop --open results\n"
      "  orrery-desktop --render pictures --theme light\n"
      "  orrery-desktop --render pictures --view long_term_decay dim=256 base=5e5\n"
      "A script plays a session; each line is a step, waited for until nothing is computed:\n"
      "  click view rotation            also right-click, double-click, move, wheel STEPS\n"
      "  drag param base 0.3 to param base 0.8\n"
      "  drag figure decay_bound 20% 50% to figure decay_bound 40% 50%\n"
      "  press Ctrl+Z                   type TEXT, do ACTION, set KEY=VALUE, drop FILE, wait "
      "SECONDS\n"
      "  expect param base is 10000     or: has PART; of view, figure, message, zoom FIGURE …\n"
      "  picture before                 writes before.png");
}

int exit_status(orrery::ErrorKind kind) {
  switch (kind) {
    case orrery::ErrorKind::usage:
      return kUsage;
    case orrery::ErrorKind::data:
      return kData;
    case orrery::ErrorKind::io:
    case orrery::ErrorKind::plan:
    case orrery::ErrorKind::locked:
      return kIo;
  }
  return kIo;
}

/// Opens the window; where there is no display, draws the views into a folder and says so.
int open_or_render(RenderOptions options) {
  std::string reason;
  const std::filesystem::path file =
      options.start_afresh ? std::filesystem::path() : orrery::session_path();
  const auto start = [&](std::function<void()> wake) {
    orrery::StartOptions restored = options.start;
    restored.session = file;
    return orrery::start_session(restored, std::move(wake));
  };
  if (orrery::run_window(start, {file, options.start.open}, reason)) return kOk;
  std::fprintf(stderr,
               "orrery-desktop: no window: %s\n"
               "Drawing every view into ./%s instead. To see results without a display:\n"
               "  orrery run long_term_decay --out results\n",
               reason.c_str(), kRenderFolder);
  options.folder = kRenderFolder;
  orrery::render_views(options);
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App cli("Orrery's desktop: how transformers know where their tokens are");
  RenderOptions options;
  declare(cli, options);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? kOk : kUsage;
  }
  try {
    if (options.folder.empty() && !options.script.empty())
      throw orrery::UsageError("--script " + options.script, "is played without a window",
                               "add --render DIR for its pictures");
    if (options.folder.empty()) return open_or_render(options);
    orrery::render_views(options);
    return kOk;
  } catch (const orrery::Error& error) {
    std::fprintf(stderr, "orrery-desktop: %s\n", error.what());
    return exit_status(error.kind());
  } catch (const orrery::ScriptFailure& failure) {
    std::fprintf(stderr, "orrery-desktop: %s\n", failure.what());
    return kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "orrery-desktop: %s\n", error.what());
    return kIo;
  }
}
