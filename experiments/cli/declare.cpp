#include "experiments/cli/declare.h"

#include "experiments/cli/console.h"

namespace orrery::cli {
namespace {

void add_verbosity(CLI::App* command) {
  command->add_flag_callback(
      "-q,--quiet", [] { set_verbosity(Verbosity::quiet); },
      "Print nothing but errors, and JSON if asked for");
  command->add_flag_callback(
      "-v,--verbose", [] { set_verbosity(Verbosity::verbose); },
      "Say also which point is done and what takes how long");
}

/// main() has loaded them before anything was declared.
void add_plugins(CLI::App* command) {
  command
      ->add_option_function<std::vector<std::string>>(
          "--plugin", [](const std::vector<std::string>&) {},
          "Load a shared library with encodings of your own: see orrery help plugins")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

}  // namespace

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<Command> declare_commands(CLI::App& app, const std::vector<std::string>& argv) {
  std::vector<Command> all;
  for (const auto declare :
       {declare_list_commands, declare_models_commands, declare_heads_commands,
        declare_identify_commands, declare_verify_commands, declare_run_commands,
        declare_sweep_commands, declare_report_commands, declare_note_commands,
        declare_attend_commands, declare_lesson_commands, declare_open_commands})
    for (Command& command : declare(app, argv)) all.push_back(std::move(command));
  add_verbosity(&app);
  add_plugins(&app);
  for (const Command& command : all) {
    add_verbosity(command.app);
    add_plugins(command.app);
  }
  return all;
}

}  // namespace orrery::cli
