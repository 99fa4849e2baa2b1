// lesson
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {

std::vector<Command> declare_lesson_commands(CLI::App& app, const std::vector<std::string>&) {
  auto options_of = std::make_shared<LessonOptions>();
  LessonOptions& options = *options_of;
  CLI::App* command = app.add_subcommand(
      "lesson", "List, check or print the lessons of the course, or show what the paper says");
  command->add_option("ACTION", options.action, "list, check, print or show")
      ->required()
      ->check(CLI::IsMember({"list", "check", "print", "show"}));
  command->add_option("NAME", options.names,
                      "A lesson by name or number, a .md file, or a folder of them; all that come "
                      "with Orrery where none is named; for show a table, figure or section");
  command->add_option("--out", options.out, "Folder for the handouts of print");
  command->footer(
      "Examples:\n"
      "  orrery lesson list\n"
      "  orrery lesson check\n"
      "  orrery lesson check 4 decay\n"
      "  orrery lesson print decay --out handouts\n"
      "  orrery lesson show table-2\n"
      "\n"
      "check computes the state of every step and evaluates every statement, link and prediction;\n"
      "what is wrong is listed as FILE:LINE, and the exit status is then 1.\n"
      "print makes NAME.html and NAME.pdf: a handout with figures, equations, room for "
      "predictions\n"
      "and the answers at the end.\n"
      "show prints a table, a figure or a section of the RoFormer paper with its settings, what "
      "it\n"
      "does not show, and the command that computes it; without a name it lists them.");
  return {{command, [options_of] { return lesson_command(*options_of); }}};
}

}  // namespace orrery::cli
