#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/batch/manifest.h"
#include "experiments/result.h"

namespace orrery {

/// The folder of a result, read back with distrust: every file is what its manifest says, or is
/// refused by name.
class SavedFolder {
 public:
  /// Reads the manifest. Throws IoError: no such folder. Throws DataError: no manifest in it, not
  /// JSON, of another schema or form, a file listed that would lie outside of the folder.
  explicit SavedFolder(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const nlohmann::ordered_json& manifest() const { return manifest_; }
  const std::vector<WrittenFile>& files() const { return files_; }
  bool lists(std::string_view path) const { return index_.contains(path); }

  /// The bytes of a file. Throws DataError: not listed, missing, not the listed bytes.
  std::string read(std::string_view path) const;
  /// The file as JSON. Throws also when it is none.
  nlohmann::ordered_json read_json(std::string_view path) const;

  /// What is wrong with the listed files, one message each; empty when the folder is whole.
  std::vector<std::string> damages() const;

 private:
  std::filesystem::path folder_;
  nlohmann::ordered_json manifest_{};
  std::vector<WrittenFile> files_{};
  std::map<std::string, std::size_t, std::less<>> index_{};
};

/// Parses JSON that this program wrote. Throws DataError naming `name`.
nlohmann::ordered_json parse_saved_json(std::string_view text, std::string_view name);

/// The result that write_result wrote: load_result(write_result(r)) is r, to the bit, with the
/// arrays that figures share shared again. (A text that is not UTF-8 comes back as JSON holds it,
/// with U+FFFD.) Only the files it is read from are looked at, not the pictures.
/// Throws as SavedFolder does, and DataError for a file that is not of the form it was written in.
Result load_result(const SavedFolder& saved);
Result load_result(const std::filesystem::path& folder);

/// What of a result can still be read, and what is wrong with every other listed file.
struct RecoveredResult {
  Result result{};
  std::vector<std::string> problems{};
};
/// Throws only when result.json itself cannot be read.
RecoveredResult recover_result(const SavedFolder& saved);

}  // namespace orrery
