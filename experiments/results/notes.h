#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A file in the folder of a result or of a sweep that no manifest lists: what people say of the
/// numbers changes, and the numbers do not. Another result of the same settings that replaces the
/// folder keeps it.
inline constexpr const char* notes_file = "notes.json";

/// Tags and a note on a result or a sweep.
struct Notes {
  std::vector<std::string> tags{};  ///< each once, in the order in which they were added
  std::string note{};               ///< lines without a last line break

  bool empty() const { return tags.empty() && note.empty(); }
};

/// The text of the file, and what it says. notes_from throws MalformedJson.
std::string notes_json(const Notes& notes);
Notes notes_from(std::string_view text);

/// Nothing where the folder has no such file. Throws IoError; DataError: the file is damaged.
Notes read_notes(const std::filesystem::path& folder);

/// Replaces the file in one step, and removes it where there is nothing to keep. Throws IoError.
void write_notes(const std::filesystem::path& folder, const Notes& notes);

/// Reads the notes, changes them and writes them, while nobody else does so: of two changes at the
/// same time none is lost. What `change` throws leaves them as they are.
/// @return the notes as they are now
Notes change_notes(const std::filesystem::path& folder, const std::function<void(Notes&)>& change);

/// Adds those that are missing. Throws UsageError: one is empty, longer than 64 bytes, has a comma
/// or a character that cannot be printed, or begins or ends with a space.
void add_tags(Notes& notes, std::span<const std::string> tags);
/// Throws UsageError, with nothing removed, where one is missing.
void remove_tags(Notes& notes, std::span<const std::string> tags);

/// Adds a line to the note. Throws UsageError: the text is empty or has characters that cannot be
/// printed, or the note would be longer than 64 KiB.
void add_to_note(Notes& notes, const std::string& text);

/// Adds the tags and the lines of the note that are missing. Throws UsageError as the two above do.
void join_notes(Notes& notes, const Notes& others);

/// "tags  a, b\nnote  first line\n      second line\n"; nothing where both are empty.
std::string notes_text(const Notes& notes);

}  // namespace orrery
