#include "experiments/results/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/files/folder_lock.h"
#include "experiments/files/presence.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/result_json.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr const char* notes_schema = "orrery.notes/1";
constexpr std::uintmax_t most_file_bytes = std::uintmax_t{1} << 20;
constexpr std::size_t most_tag_bytes = 64, most_tags = 1000, most_note_bytes = 64 << 10;

bool is_printable_text(const std::string& text) { return without_controls(text) == text; }

/// What is wrong with a tag; empty when nothing is.
std::string_view fault_of_tag(const std::string& tag) {
  if (tag.empty()) return "is empty";
  if (tag.size() > most_tag_bytes) return "is longer than 64 bytes";
  if (tag.find_first_of(",\n") != std::string::npos) return "has a comma or a line break";
  if (!is_printable_text(tag)) return "has characters that cannot be printed";
  if (tag.front() == ' ' || tag.back() == ' ') return "begins or ends with a space";
  return {};
}

std::string_view fault_of_note(const std::string& note) {
  if (note.size() > most_note_bytes) return "is longer than 64 KiB";
  if (!is_printable_text(note)) return "has characters that cannot be printed";
  return {};
}

bool has(const Notes& notes, const std::string& tag) {
  return std::ranges::find(notes.tags, tag) != notes.tags.end();
}

}  // namespace

std::string notes_json(const Notes& notes) {
  return json_text({{"schema", notes_schema}, {"tags", notes.tags}, {"note", notes.note}});
}

Notes notes_from(std::string_view text) {
  const nlohmann::ordered_json json = json_in(text);
  if (const std::string schema = text_field(json, "schema"); schema != notes_schema)
    throw MalformedJson(fmt::format("'schema' is {}, not {}", in_quotes(schema), notes_schema));
  Notes notes{.tags = texts_field(json, "tags"), .note = text_field(json, "note")};
  if (notes.tags.size() > most_tags) throw MalformedJson("'tags' has more than 1000 entries");
  for (const std::string& tag : notes.tags)
    if (const std::string_view fault = fault_of_tag(tag); !fault.empty())
      throw MalformedJson(fmt::format("the tag {} {}", in_quotes(tag), fault));
  require_distinct(notes.tags, "tags", [](const std::string& tag) { return tag; });
  if (const std::string_view fault = fault_of_note(notes.note); !fault.empty())
    throw MalformedJson(fmt::format("'note' {}", fault));
  return notes;
}

Notes read_notes(const fs::path& folder) {
  const fs::path path = folder / notes_file;
  if (!is_there(path)) return {};
  try {
    return notes_from(read_file(path, most_file_bytes));
  } catch (const MalformedJson& error) {
    throw DataError(path.string(), fmt::format("is damaged: {}", error.what()),
                    "mend it in an editor, or remove it; no number depends on it");
  }
}

void write_notes(const fs::path& folder, const Notes& notes) {
  const fs::path path = folder / notes_file;
  if (!notes.empty()) {
    atomic_write(path, notes_json(notes));
    return;
  }
  std::error_code failure;
  fs::remove(path, failure);
  if (failure) throw io_error(path.string(), "removed", failure.value());
  sync_folder(folder);
}

Notes change_notes(const fs::path& folder, const std::function<void(Notes&)>& change) {
  const FolderTurn turn(folder);
  Notes notes = read_notes(folder);
  change(notes);
  write_notes(folder, notes);
  return notes;
}

void add_tags(Notes& notes, std::span<const std::string> tags) {
  for (const std::string& tag : tags)
    if (const std::string_view fault = fault_of_tag(tag); !fault.empty())
      throw UsageError(in_quotes(tag), fmt::format("{}, so it is not a tag", fault),
                       "choose a word or a few words, as in baseline");
  for (const std::string& tag : tags)
    if (!has(notes, tag)) notes.tags.push_back(tag);
  if (notes.tags.size() > most_tags)
    throw UsageError(fmt::format("{} tags", notes.tags.size()), "are more than 1000",
                     "remove some with --remove");
}

void remove_tags(Notes& notes, std::span<const std::string> tags) {
  for (const std::string& tag : tags)
    if (!has(notes, tag))
      throw UsageError(
          in_quotes(tag), "is not a tag of this folder",
          remedy_for_unknown(tag, notes.tags,
                             notes.tags.empty()
                                 ? "it has none"
                                 : fmt::format("its tags are {}", fmt::join(notes.tags, ", "))));
  std::erase_if(notes.tags,
                [&](const std::string& tag) { return std::ranges::find(tags, tag) != tags.end(); });
}

void add_to_note(Notes& notes, const std::string& text) {
  if (text.find_first_not_of(" \n") == std::string::npos)
    throw UsageError(in_quotes(text), "is an empty note",
                     "give its words, or remove it with --remove");
  const std::string line = text.substr(0, text.find_last_not_of('\n') + 1);
  const std::string whole = notes.note.empty() ? line : notes.note + "\n" + line;
  if (const std::string_view fault = fault_of_note(whole); !fault.empty())
    throw UsageError(in_quotes(text), fmt::format("{}, so it is not a note", fault),
                     "give a shorter text of printable characters");
  notes.note = whole;
}

void join_notes(Notes& notes, const Notes& others) {
  add_tags(notes, others.tags);
  std::istringstream lines(others.note);
  for (std::string line; std::getline(lines, line);) {
    const std::string known = "\n" + notes.note + "\n";
    if (line.find_first_not_of(' ') != std::string::npos &&
        known.find("\n" + line + "\n") == std::string::npos)
      add_to_note(notes, line);
  }
}

std::string notes_text(const Notes& notes) {
  std::string text;
  if (!notes.tags.empty()) text += fmt::format("tags  {}\n", fmt::join(notes.tags, ", "));
  if (notes.note.empty()) return text;
  text += "note  ";
  for (const char c : notes.note) text += c == '\n' ? std::string("\n      ") : std::string(1, c);
  return text + "\n";
}

}  // namespace orrery
