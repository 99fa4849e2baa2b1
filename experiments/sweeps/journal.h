#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/sweeps/point_record.h"

namespace orrery {

/// The outcome of one point.
struct JournalEntry {
  std::string id{};
  PointStatus status{PointStatus::done};  ///< done or failed
  /// When done, one of the two: of its result's manifest, or of its group in a pack.
  std::string manifest_sha256{}, group_sha256{};
  std::string error{};  ///< why it failed
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

/// The content of a journal: the last entry of each point.
struct JournalState {
  std::map<std::string, JournalEntry> entries{};  ///< by point id
  int damaged_lines{};      ///< lines with a wrong checksum; their points count as not done
  std::uintmax_t intact{};  ///< bytes up to the end of the last complete line
};

/// Reads a journal; a missing one is empty. An incomplete last line is not counted as damaged,
/// since a killed process leaves one. Throws IoError.
JournalState read_journal(const std::filesystem::path& path);

/// One line of JSON that ends with "sum", the first 16 digits of the SHA-256 of all before it.
std::string journal_line(const JournalEntry& entry);

/// A file that grows by whole lines, each of which has reached the disk when append returns.
class Journal {
 public:
  /// Opens or creates the file and cuts off what follows its last complete line. Throws IoError.
  Journal(std::filesystem::path path, const JournalState& state);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Throws IoError; then the file is unchanged.
  void append(const JournalEntry& entry) { append({&entry, 1}); }
  void append(std::span<const JournalEntry> entries);

 private:
  std::filesystem::path path_;
  int fd_{-1};
};

}  // namespace orrery
