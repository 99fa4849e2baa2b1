// lesson
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {

std::vector<Command> declare_lesson_commands(CLI::App& app, const std::vector<std::string>&) {
  auto options_of = std::make_shared<LessonOptions>();
  LessonOptions& options = *options_of;
  CLI::App* command = app.add_subcommand(
      "lesson", "List, check, print, play or render lessons, or show what the paper says");
  command->add_option("ACTION", options.action, "list, check, print, show, play or render")
      ->required()
      ->check(CLI::IsMember({"list", "check", "print", "show", "play", "render"}));
  command->add_option("NAME", options.names,
                      "A lesson by name or number, a .md file, or a folder of them; all that come "
                      "with Orrery where none is named; for show a table, figure or section");
  command->add_option("--out", options.out,
                      "Folder for the handouts of print and the pictures of render");
  command->add_option("--step", options.step, "Step of play and render, from 1");
  command->add_option("--motion", options.motion,
                      "Frames of render of the motion from each step to the next");
  command->add_option("--size", options.size, "Pixels of render: 1280x800");
  command->add_option("--theme", options.theme, "Colours of play and render: dark, light or print");
  command->add_flag("--projector", options.projector, "Renders what projector mode shows");
  command->footer(
      "Examples:\n"
      "  orrery lesson list\n"
      "  orrery lesson check\n"
      "  orrery lesson check 4 decay\n"
      "  orrery lesson print decay --out handouts\n"
      "  orrery lesson show table-2\n"
      "  orrery lesson play decay --step 3\n"
      "  orrery lesson render decay --out frames --motion 12 --size 1920x1080\n"
      "\n"
      "check computes the state of every step and evaluates every statement, link and prediction;\n"
      "what is wrong is listed as FILE:LINE, and the exit status is then 1.\n"
      "print makes NAME.html, which a browser prints: a handout with figures, equations, room for\n"
      "predictions and the answers at the end.\n"
      "show prints a table, a figure or a section of the RoFormer paper with its settings, what "
      "it\n"
      "does not show, and the command that computes it; without a name it lists them.\n"
      "play opens a lesson in the desktop; render writes its steps as PNG files, without a "
      "display.");
  return {{command, [options_of] { return lesson_command(*options_of); }}};
}

}  // namespace orrery::cli
