// lesson
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {

std::vector<Command> declare_lesson_commands(CLI::App& app, const std::vector<std::string>&) {
  auto options_of = std::make_shared<LessonOptions>();
  LessonOptions& options = *options_of;
  CLI::App* command = app.add_subcommand("lesson", "List or check the lessons of the course");
  command->add_option("ACTION", options.action, "list or check")
      ->required()
      ->check(CLI::IsMember({"list", "check"}));
  command->add_option("NAME", options.names,
                      "A lesson by name or number, a .md file, or a folder of them; check takes "
                      "all that come with Orrery where none is named");
  command->footer(
      "Examples:\n"
      "  orrery lesson list\n"
      "  orrery lesson check\n"
      "  orrery lesson check decay ~/my-lessons\n"
      "\n"
      "check computes the state of every step and evaluates every statement, link and prediction;\n"
      "what is wrong is listed as FILE:LINE, and the exit status is then 1.");
  return {{command, [options_of] { return lesson_command(*options_of); }}};
}

}  // namespace orrery::cli
