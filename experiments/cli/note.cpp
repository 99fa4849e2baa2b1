// note: what people say of a result.
#include <fmt/format.h>

#include <memory>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/files/file.h"
#include "experiments/results/notes.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {
namespace {

struct NoteOptions {
  std::string folder{};
  Words words{}, tag{}, untag{};
  bool replace{false}, remove{false}, tags{false};

  bool changes() const { return remove || !(words.empty() && tag.empty() && untag.empty()); }
};

/// Throws what SavedFolder throws for a folder that is neither a sweep's nor a result's.
void require_saved(const std::string& folder) {
  if (!is_sweep_folder(folder)) const SavedFolder saved(folder);
}

/// Where notes are kept of a result that lies in a pack.
void make_folder_of_packed(const std::string& folder) {
  if (ResultFiles(folder).is_packed()) make_folders(folder);
}

void tell_of(const NoteOptions& options, const Notes& notes) {
  tell(notes.empty() ? fmt::format("{} has neither tags nor a note\n", options.folder)
                     : notes_text(notes));
}

void require_sense(const NoteOptions& options) {
  if (options.replace && (options.remove || options.words.empty()))
    throw UsageError("--replace", "needs the words of the new note, without --remove",
                     "give them, or remove the note with --remove alone");
  if (options.remove && !options.words.empty())
    throw UsageError("--remove", "removes the whole note and takes no words",
                     "replace the note with --replace");
}

void change(const NoteOptions& options, Notes& notes) {
  if (!options.tag.empty()) add_tags(notes, options.tag);
  if (!options.untag.empty()) remove_tags(notes, options.untag);
  if (options.remove || options.replace) notes.note.clear();
  if (!options.words.empty()) add_to_note(notes, fmt::format("{}", fmt::join(options.words, " ")));
}

int note(const NoteOptions& options) {
  require_sense(options);
  require_saved(options.folder);
  if (options.changes()) {
    make_folder_of_packed(options.folder);
    tell_of(options, change_notes(options.folder, [&](Notes& notes) { change(options, notes); }));
    return exit_ok;
  }
  const Notes notes = read_notes(options.folder);
  if (options.tags)
    for (const std::string& tag : notes.tags) print(tag + "\n");
  else if (!notes.note.empty())
    print(notes.note + "\n");
  return exit_ok;
}

}  // namespace

Command note_command() {
  const auto o = std::make_shared<NoteOptions>();
  Command command{"note", "Add a line to the note on a result or a sweep, or tags, or print them",
                  [o] { return note(*o); }};
  command.options = {{"DIR", &o->folder, "A result or a sweep", required()},
                     {"TEXT", &o->words, "The line; without it the note is printed"},
                     {"--replace", &o->replace, "In place of the whole note"},
                     {"--remove", &o->remove, "Remove the note"},
                     {"--tag", &o->tag, "Add these tags", {.several = true}},
                     {"--untag", &o->untag, "Remove these tags", {.several = true}},
                     {"--tags", &o->tags, "Print the tags, one on each line"}};
  command.footer =
      R"(Notes and tags are in notes.json in the folder, apart from the numbers and their checksums.
The report, orrery status and the desktop show them.

Examples:
  orrery run rotation --out turns
  orrery note turns "for figure 3 of the paper"
  orrery note turns
  orrery note turns --tag baseline paper
  orrery note turns --untag paper
  orrery note turns --tags)";
  return command;
}

}  // namespace orrery
