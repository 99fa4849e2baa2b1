#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace orrery {

/// What became of a point.
struct JournalEntry {
  enum class Outcome { done, failed };
  std::string id{};
  Outcome outcome{Outcome::done};
  std::string manifest_sha256{};  ///< of a point that is done
  std::string error{};            ///< of one that failed
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

/// What a journal says, the last word on each point.
struct JournalState {
  std::map<std::string, JournalEntry> entries{};
  int damaged_lines{};      ///< whose checksum does not fit; their points count as not done
  std::uintmax_t intact{};  ///< bytes up to the end of the last whole line
};

/// Reads a journal; one that does not exist is empty. A last line that was cut off is not counted
/// as damaged: a process that was killed leaves one. Throws IoError.
JournalState read_journal(const std::filesystem::path& path);

/// One line: JSON, with a "sum" over all before it (the first 16 digits of its SHA-256).
std::string journal_line(const JournalEntry& entry);

/// A file of lines that grows by whole lines, each on the disk before append returns.
class Journal {
 public:
  /// Opens or creates it, and cuts off what follows the last whole line. Throws IoError.
  Journal(std::filesystem::path path, const JournalState& state);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Throws IoError, and then the file is as it was.
  void append(const JournalEntry& entry);

 private:
  std::filesystem::path path_;
  int fd_{-1};
};

}  // namespace orrery
