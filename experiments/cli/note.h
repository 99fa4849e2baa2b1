#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

/// Of note and of tag.
struct NoteOptions {
  std::string folder{};
  std::vector<std::string> words{};  ///< of the note, or tags
  bool replace{false};               ///< in place of the whole note
  bool remove{false};                ///< the note, or these tags
};
/// Prints the note when there are no words.
int note_command(const NoteOptions& options);
/// Prints the tags, one on each line, when there are no words.
int tag_command(const NoteOptions& options);

}  // namespace orrery::cli
