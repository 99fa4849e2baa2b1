#include "experiments/cli/command.h"

#include <algorithm>
#include <sstream>

#include "experiments/cli/console.h"

/// The commands in the order of the help, one line each, with their headings there: X(NAME, GROUP)
/// stands for `Command NAME_command()`, which NAME.cpp defines.
// clang-format off
#define ORRERY_COMMANDS(X)            \
  X(list, "Look up")                  \
  X(describe, "Look up")              \
  X(run, "Run and sweep")             \
  X(sweep, "Run and sweep")           \
  X(plan, "Run and sweep")            \
  X(status, "Run and sweep")          \
  X(resume, "Run and sweep")          \
  X(merge, "Run and sweep")           \
  X(models, "Models")                 \
  X(tokens, "Models")                 \
  X(passport, "Models")               \
  X(redraw, "Saved results")          \
  X(plot, "Saved results")            \
  X(report, "Saved results")          \
  X(export, "Saved results")          \
  X(compare, "Saved results")         \
  X(note, "Saved results")            \
  X(lesson, "Learn")                  \
  X(verify, "Learn")                  \
  X(open, "Program")                  \
  X(completion, "Program")            \
  X(help, "Program")
// clang-format on

namespace orrery {

#define ORRERY_DECLARE(name, group) Command name##_command();
ORRERY_COMMANDS(ORRERY_DECLARE)
#undef ORRERY_DECLARE

namespace {

const Option help_option{"-h,--help", {}, "Print this help message and exit"};

/// Those that the program and every command have.
std::vector<Option> common_options() {
  static Words plugins;  // main() has loaded them before anything was declared
  return {{"-q,--quiet", [] { set_verbosity(Verbosity::quiet); },
           "Print nothing but errors, and JSON if asked for"},
          {"-v,--verbose", [] { set_verbosity(Verbosity::verbose); },
           "Say also which point is done and what takes how long"},
          {"--plugin",
           &plugins,
           "Load a shared library with encodings of your own: see orrery help plugins",
           {.value = "FILE"}}};
}

Command in_group(Command command, const char* group) {
  command.group = group;
  command.options = joined(joined({help_option}, command.options), common_options());
  return command;
}

/// "-q" and "--quiet" of "-q,--quiet".
Words parts_of(const std::string& names) {
  Words parts;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) parts.push_back(name);
  return parts;
}

}  // namespace

Rules required() { return {.required = true}; }
Rules one_of(const Words& choices) { return {.choices = choices}; }
Rules between(std::int64_t least, std::int64_t most) { return {.range = {{least, most}}}; }

bool Option::is_called(const std::string& word) const {
  const Words parts = parts_of(name);
  return std::ranges::find(parts, word) != parts.end();
}

std::vector<Command> all_commands() {
#define ORRERY_ENTRY(name, group) in_group(name##_command(), group),
  return {ORRERY_COMMANDS(ORRERY_ENTRY)};
#undef ORRERY_ENTRY
}

std::vector<Option> program_options() {
  return joined({help_option, {"--version", {}, "Display program version information and exit"}},
                common_options());
}

const Command* find_command(const std::vector<Command>& commands, const std::string& name) {
  const auto found = std::ranges::find(commands, name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

Words names_of(const std::vector<Command>& commands) {
  Words names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

Words option_names(const std::vector<Option>& options) {
  Words names;
  for (const Option& option : options)
    for (const std::string& name : parts_of(option.name))
      if (name.starts_with("--")) names.push_back(name);
  return names;
}

std::string footer_of(const Command& command) {
  const auto* made = std::get_if<std::function<std::string()>>(&command.footer);
  return made ? (*made)() : std::get<std::string>(command.footer);
}

std::vector<Option> joined(std::vector<Option> options, const std::vector<Option>& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

}  // namespace orrery
