// All that knows CLI11.
#include "experiments/cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "experiments/cli/console.h"
#include "experiments/results/manifest.h"

namespace orrery {
namespace {

std::string version_text() {
  const BuildInfo& build = build_info();
  return fmt::format("orrery {} ({}{}, {}, {})", build.version, build.commit.substr(0, 12),
                     build.dirty.value_or(false) ? ", modified" : "", build.compiler,
                     build.cpu_level);
}

/// Adds an option for each kind of target.
struct Adder {
  CLI::App& app;
  const Option& option;

  CLI::Option* operator()(std::monostate) const {
    return option.name == "--version"
               ? app.set_version_flag(option.name, version_text(), option.about)
               : app.set_help_flag(option.name, option.about);
  }
  CLI::Option* operator()(bool* flag) const {
    return app.add_flag(option.name, *flag, option.about);
  }
  CLI::Option* operator()(const std::function<void()>& call) const {
    return app.add_flag_callback(option.name, call, option.about);
  }
  CLI::Option* operator()(const std::function<void(double)>& call) const {
    return app.add_option_function<double>(option.name, call, option.about);
  }
  CLI::Option* operator()(const std::function<void(const std::string&)>& call) const {
    return app.add_option_function<std::string>(option.name, call, option.about);
  }
  template <class Value>
  CLI::Option* operator()(Value* value) const {
    return app.add_option(option.name, *value, option.about);
  }
};

/// The bounds in the type of the target, which the help names.
CLI::Range range_of(const Option& option) {
  const auto [least, most] = *option.rules.range;
  if (std::holds_alternative<double*>(option.target))
    return {static_cast<double>(least), static_cast<double>(most)};
  return {least, most};
}

void add_option(CLI::App& app, const Option& option) {
  CLI::Option* added = std::visit(Adder{app, option}, option.target);
  const Rules& rules = option.rules;
  if (rules.required) added->required();
  if (!rules.value.empty()) added->type_name(rules.value);
  if (rules.commas) added->delimiter(',');
  if (std::holds_alternative<Words*>(option.target) && !option.is_positional())
    added->allow_extra_args(rules.several);  // otherwise the next word is a parameter
  if (!rules.choices.empty()) added->check(CLI::IsMember(rules.choices));
  if (rules.range) added->check(range_of(option));
}

void exclude(CLI::App& app, const Option& option) {
  CLI::Option* added = app.get_option_no_throw(option.name);
  for (const std::string& other : option.rules.excludes) added->excludes(app.get_option(other));
  if (option.rules.excludes.size() > 1)  // CLI11 names them in the order of their addresses
    added->option_text(fmt::format("{} Excludes: {}", added->get_type_name(),
                                   fmt::join(option.rules.excludes, " ")));
}

void add_options(CLI::App& app, const std::vector<Option>& options) {
  for (const Option& option : options) add_option(app, option);
  for (const Option& option : options) exclude(app, option);
}

/// What CLI11 knows no rule for: an option that is required unless another is given.
void require_options(const CLI::App& app, const std::vector<Option>& options) {
  const auto is_given = [&](const std::string& name) {
    const CLI::Option* option = app.get_option(name);
    return option->count() > 0 && !option->results().front().empty();
  };
  for (const Option& option : options)
    if (const std::string& other = option.rules.unless;
        !other.empty() && !is_given(option.name) && !is_given(other))
      throw CLI::RequiredError(option.name);
}

/// @param is_wanted  whether it can be the one that is given: no other needs its options
void add_command(CLI::App& program, const Command& command, bool is_wanted) {
  CLI::App* app = program.add_subcommand(command.name, command.about)->group(command.group);
  if (!is_wanted) return;
  add_options(*app, command.options);
  app->allow_extras(command.words != nullptr);
  if (const auto* text = std::get_if<std::string>(&command.footer))
    app->footer(*text);
  else
    app->footer([&command] { return footer_of(command); });
  app->final_callback([app, &command] { require_options(*app, command.options); });
}

void fill(CLI::App& program, const std::vector<Command>& commands, const Words& words) {
  program.require_subcommand(1);
  program.footer(
      R"(orrery COMMAND --help gives details. Example: orrery run long_term_decay dim=128 base=10000
orrery help lists topics: sweeps, arrays, exit-codes and others.)");
  add_options(program, program_options());
  for (const Command& command : commands)
    add_command(program, command, std::ranges::find(words, command.name) != words.end());
}

/// "--repeats: Value 0 not in range …; orrery help sweep lists what it takes".
std::string message_of(const CLI::App& program, const CLI::ParseError& error) {
  std::string command = "--help";
  for (const CLI::App* one : program.get_subcommands()) command = "help " + one->get_name();
  return fmt::format("{}; orrery {} lists what it takes", error.what(), command);
}

int answered(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) {
    warn(message_of(program, error));
    return exit_usage;
  }
  std::ostringstream text;
  program.exit(error, text, text);
  print(text.str());
  return exit_ok;
}

Words reversed(const Words& words, std::size_t first) {
  return {words.rbegin(),
          words.rend() - static_cast<std::ptrdiff_t>(std::min(first, words.size()))};
}

struct Program {
  CLI::App app{"Orrery: how does this model know where its tokens are?", "orrery"};
  /// @param words  the names of commands among them are those that can be given
  Program(const std::vector<Command>& commands, const Words& words) { fill(app, commands, words); }
};

}  // namespace

Parsed parse(const std::vector<Command>& commands, const Words& argv) {
  Program program(commands, argv);
  try {
    program.app.parse(reversed(argv, 1));
  } catch (const CLI::ParseError& error) {
    return {.status = answered(program.app, error)};
  }
  const CLI::App* asked = program.app.get_subcommands().front();
  const Command& command = *find_command(commands, asked->get_name());
  if (command.words) *command.words = asked->remaining();
  if (command.argv) *command.argv = argv;
  return {.command = &command};
}

/// CLI11's own help() of the program shows the command that was given: help.
std::string help_of(const std::vector<Command>& commands, const std::string& command) {
  Program program(commands, {command});
  const CLI::App* app = command.empty() ? &program.app : program.app.get_subcommand(command);
  return app->get_formatter()->make_help(app, command.empty() ? "orrery" : "orrery " + command,
                                         CLI::AppFormatMode::Normal);
}

std::string read_options(const std::vector<Option>& options, const Words& words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  add_options(app, options);
  try {
    app.parse(reversed(words, 0));
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return {};
}

}  // namespace orrery
