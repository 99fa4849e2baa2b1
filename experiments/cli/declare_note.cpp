// note, tag
#include <memory>

#include "experiments/cli/declare.h"
#include "experiments/cli/note.h"

namespace orrery::cli {
namespace {

Command add_note(CLI::App& app) {
  auto options = std::make_shared<NoteOptions>();
  CLI::App* command =
      app.add_subcommand("note", "Add a line to the note on a result or a sweep, or print it");
  command->add_option("DIR", options->folder, "A result or a sweep")->required();
  command->add_option("TEXT", options->words, "The line; without it the note is printed");
  command->add_flag("--replace", options->replace, "In place of the whole note");
  command->add_flag("--remove", options->remove, "Remove the note");
  command->footer(
      "Notes and tags are in notes.json in the folder, apart from the numbers and their "
      "checksums.\n"
      "The report, orrery status and the desktop show them.\n\n"
      "Examples:\n"
      "  orrery run rotation --out turns\n"
      "  orrery note turns \"for figure 3 of the paper\"\n"
      "  orrery note turns");
  return {command, [options] { return note_command(*options); }};
}

Command add_tag(CLI::App& app) {
  auto options = std::make_shared<NoteOptions>();
  CLI::App* command =
      app.add_subcommand("tag", "Add tags to a result or a sweep, remove them, or print them");
  command->add_option("DIR", options->folder, "A result or a sweep")->required();
  command->add_option("TAG", options->words, "Words; without them the tags are printed");
  command->add_flag("--remove", options->remove, "Remove these tags");
  command->footer(
      "Examples:\n"
      "  orrery run rotation --out turns\n"
      "  orrery tag turns baseline paper\n"
      "  orrery tag turns --remove paper");
  return {command, [options] { return tag_command(*options); }};
}

}  // namespace

std::vector<Command> declare_note_commands(CLI::App& app, const std::vector<std::string>&) {
  return {add_note(app), add_tag(app)};
}

}  // namespace orrery::cli
