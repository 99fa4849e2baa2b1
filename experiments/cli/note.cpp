// note and tag: what people say of a result.
#include "experiments/cli/note.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/files/file.h"
#include "experiments/results/notes.h"
#include "experiments/results/result_files.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery::cli {
namespace {

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

}  // namespace

int note_command(const NoteOptions& options) {
  if (options.replace && (options.remove || options.words.empty()))
    throw UsageError("--replace", "needs the words of the new note, without --remove",
                     "give them, or remove the note with --remove alone");
  if (options.remove && !options.words.empty())
    throw UsageError("--remove", "removes the whole note and takes no words",
                     "replace the note with --replace");
  require_saved(options.folder);
  if (options.words.empty() && !options.remove) {
    const Notes notes = read_notes(options.folder);
    if (!notes.note.empty()) print(notes.note + "\n");
    return exit_ok;
  }
  make_folder_of_packed(options.folder);
  tell_of(options, change_notes(options.folder, [&](Notes& notes) {
            if (options.remove || options.replace) notes.note.clear();
            if (!options.remove)
              add_to_note(notes, fmt::format("{}", fmt::join(options.words, " ")));
          }));
  return exit_ok;
}

int tag_command(const NoteOptions& options) {
  if (options.remove && options.words.empty())
    throw UsageError("--remove", "needs the tags that are to be removed", "name them");
  require_saved(options.folder);
  if (options.words.empty()) {
    for (const std::string& tag : read_notes(options.folder).tags) print(tag + "\n");
    return exit_ok;
  }
  make_folder_of_packed(options.folder);
  tell_of(options, change_notes(options.folder, [&](Notes& notes) {
            if (options.remove)
              remove_tags(notes, options.words);
            else
              add_tags(notes, options.words);
          }));
  return exit_ok;
}

}  // namespace orrery::cli
