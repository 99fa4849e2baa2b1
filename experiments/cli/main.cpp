#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <new>

#include "core/errors.h"
#include "core/params.h"
#include "core/unknown_name.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/declare.h"
#include "experiments/cli/hints.h"
#include "experiments/files/notices.h"
#include "experiments/results/build_info.h"
#include "experiments/results/memory.h"
#include "experiments/setup/plugins.h"

namespace {

using namespace orrery;
using namespace orrery::cli;

std::string version_text() {
  const BuildInfo& build = build_info();
  return fmt::format("orrery {} ({}{}, {}, {})", build.version, build.commit.substr(0, 12),
                     build.dirty.value_or(false) ? ", modified" : "", build.compiler,
                     build.cpu_level);
}

int exit_code_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::usage:
      return exit_usage;
    case ErrorKind::data:
      return exit_data;
    case ErrorKind::io:
      return exit_io;
    case ErrorKind::plan:
      return exit_plan;
    case ErrorKind::locked:
      return exit_locked;
    case ErrorKind::not_finite:
      break;
  }
  return exit_failed;
}

int guarded(const std::function<int()>& command) {
  try {
    const int code = command();
    finish_output();
    return code;
  } catch (const Stopped&) {
    say("orrery: stopped; nothing was written\n");
    return 128 + stop_signal();
  } catch (const ClosedPipe&) {
    return 128 + SIGPIPE;  // as for any program whose reader has left, without a word
  } catch (const Error& error) {
    say(fmt::format("orrery: {}\n", error.what()));
    return exit_code_of(error);
  } catch (const std::bad_alloc&) {
    say(fmt::format("orrery: {}\n", memory_shortage()));
    return exit_io;
  } catch (const std::exception& error) {
    say(fmt::format("orrery: {}; this is a bug in orrery\n", error.what()));
    return exit_failed;
  }
}

/// Suggests the nearest name for a misspelt command; CLI11 only reports that one is missing.
void check_command(const CLI::App& app, const std::vector<std::string>& argv) {
  if (argv.size() < 2) return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  check_first_word(app, argv[1]);
  if (!argv[1].starts_with("-")) throw_unknown_name(argv[1], "a command", names);
}

/// Help and the version are given whatever there is to load.
bool only_explains(const std::vector<std::string>& argv) {
  constexpr std::array<std::string_view, 4> first{"help", "--help", "-h", "--version"};
  return argv.size() > 1 && std::find(first.begin(), first.end(), argv[1]) != first.end();
}

int run_or_suggest(const Command& command) {
  try {
    return command.run();
  } catch (const Error& error) {
    suggest_better(*command.app, error);
    throw;
  }
}

int run_program(int argc, char** argv) {
  CLI::App app("Orrery: how does this model know where its tokens are?", "orrery");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(
      "orrery COMMAND --help gives details. Example: orrery run long_term_decay dim=128 "
      "base=10000\n"
      "orrery help lists topics: sweeps, arrays, exit-codes and others.");
  const std::vector<std::string> words(argv, argv + argc);
  if (!only_explains(words)) setup::load_plugins(words);  // before any command is declared
  const std::vector<Command> commands = declare_commands(app, words);
  try {
    check_command(app, words);
    app.parse(argc, argv);
  } catch (const UsageError& error) {
    say(fmt::format("orrery: {}\n", error.what()));
    return exit_usage;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    say(message_of(app, error) + "\n");
    return exit_usage;
  }
  listen_for_stop_signals();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond ulimit -f is then refused in words
  for (const Command& command : commands)
    if (command.app->parsed()) return run_or_suggest(command);
  return exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  results::keep_freed_memory(1 << 30);
  files::set_notice_sink([](const std::string& line) { say(fmt::format("orrery: {}\n", line)); });
  reserve_memory_for_errors();
  return guarded([&] { return run_program(argc, argv); });
}
