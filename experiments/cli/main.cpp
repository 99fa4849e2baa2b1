#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <new>

#include "core/errors.h"
#include "core/params.h"
#include "core/unknown_name.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/hints.h"
#include "experiments/cli/parser.h"
#include "experiments/files/notices.h"
#include "experiments/results/memory.h"
#include "experiments/setup/plugins.h"

namespace {

using namespace orrery;

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
    warn("stopped; nothing was written");
    return 128 + stop_signal();
  } catch (const ClosedPipe&) {
    return 128 + SIGPIPE;  // as for any program whose reader has left, without a word
  } catch (const Error& error) {
    warn(error.what());
    return exit_code_of(error);
  } catch (const std::bad_alloc&) {
    warn(memory_shortage());
    return exit_io;
  } catch (const std::exception& error) {
    warn(fmt::format("{}; this is a bug in orrery", error.what()));
    return exit_failed;
  }
}

/// Suggests the nearest name for a misspelt command; the parser only reports that one is missing.
void check_command(const std::vector<Command>& commands, const Words& argv) {
  if (argv.size() < 2) return;
  if (const Command* command = find_command(commands, argv[1])) {
    if (argv.size() > 2 && command->name == "lesson") check_lesson_action(*command, argv[2]);
    return;
  }
  check_first_word(argv[1]);
  if (!argv[1].starts_with("-")) throw_unknown_name(argv[1], "a command", names_of(commands));
}

/// Help and the version are given whatever there is to load.
bool only_explains(const Words& argv) {
  constexpr std::array<std::string_view, 4> first{"help", "--help", "-h", "--version"};
  return argv.size() > 1 && std::ranges::find(first, argv[1]) != first.end();
}

Parsed parse_checked(const std::vector<Command>& commands, const Words& argv) try {
  check_command(commands, argv);
  return parse(commands, argv);
} catch (const UsageError& error) {
  warn(error.what());
  return {.status = exit_usage};
}

int run_program(const Words& argv) {
  if (!only_explains(argv)) load_plugins(argv);  // before any command is declared
  const std::vector<Command> commands = all_commands();
  const Parsed parsed = parse_checked(commands, argv);
  if (!parsed.command) return parsed.status;
  listen_for_stop_signals();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond ulimit -f is then refused in words
  try {
    return parsed.command->run();
  } catch (const Error& error) {
    suggest_better(commands, *parsed.command, error);
    throw;
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory(1 << 30);
  set_notice_sink([](const std::string& line) { warn(line); });
  reserve_memory_for_errors();
  return guarded([&] { return run_program({argv, argv + argc}); });
}
