#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/result.h"
#include "experiments/results/manifest.h"

namespace orrery {

/// The files of a result where they lie: in a folder of their own, or as the group of that name in
/// the pack beside it (zip_pack.h). "points/ID" is then the folder ID in points.zip. Where both are
/// there, the pack counts.
class ResultFiles {
 public:
  /// Neither need be there. Throws IoError where the pack as a whole cannot be read.
  explicit ResultFiles(std::filesystem::path folder);
  ResultFiles(ResultFiles&&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  bool is_packed() const { return packed_; }
  /// Whether there is a folder or a group. Throws IoError.
  bool exists() const;
  /// Throws IoError, as the pack's disk does where the group cannot be read.
  bool has(std::string_view path) const;
  /// The file's content. Throws IoError: missing or unreadable; DataError: longer than max_bytes, or
  /// the pack is damaged here.
  std::string read(std::string_view path, std::uintmax_t max_bytes) const;
  /// The group's bytes; nothing for a folder, or where they cannot be read.
  const std::string& group() const { return group_; }

 private:
  std::filesystem::path folder_;
  bool packed_{false};
  std::string group_{};
  std::exception_ptr failure_{};                                         ///< of reading it
  std::map<std::string_view, std::string_view, std::less<>> members_{};  ///< views of group_
};

/// "points.zip" for "points/ID": where results that have no folder lie.
std::filesystem::path pack_beside(const std::filesystem::path& folder);

/// The files of a result, in a folder or in a pack, verified on reading: a file that differs from
/// its entry in the manifest is refused by name.
class SavedFolder {
 public:
  /// Reads the manifest. Throws IoError: no such folder. Throws DataError: no manifest in it, not
  /// JSON, of another schema or form, or listing a file outside of the folder.
  explicit SavedFolder(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return source_->folder(); }
  const nlohmann::ordered_json& manifest() const { return manifest_; }
  const std::vector<WrittenFile>& files() const { return files_; }
  bool lists(std::string_view path) const { return index_.contains(path); }

  /// The bytes of a file. Throws DataError: not listed, missing, or damaged.
  std::string read(std::string_view path) const;
  /// The same, parsed as JSON. Throws DataError also when it is not JSON.
  nlohmann::ordered_json read_json(std::string_view path) const;

  /// One message per listed file that is missing or damaged; empty when the folder is intact.
  std::vector<std::string> damages() const;

 private:
  std::shared_ptr<const ResultFiles> source_;
  nlohmann::ordered_json manifest_{};
  std::vector<WrittenFile> files_{};
  std::map<std::string, std::size_t, std::less<>> index_{};
};

/// Parses JSON that this program wrote. Throws DataError naming `name`.
nlohmann::ordered_json parse_saved_json(std::string_view text, std::string_view name);

/// The result that write_result wrote, to the bit; arrays that several figures shared are shared
/// again. (Text that was not UTF-8 comes back with U+FFFD.) Pictures are not read.
/// Throws as SavedFolder does, and DataError for a file that is not in the form it was written in.
Result load_result(const SavedFolder& saved);
Result load_result(const std::filesystem::path& folder);

/// One figure of such a result, where it is one of curves; empty for another kind, of which nothing
/// more is read. Throws as load_result does.
std::optional<Figure> load_curves(const SavedFolder& saved, const std::string& id);

/// The readable parts of a damaged result, and one message per problem.
struct RecoveredResult {
  Result result{};
  std::vector<std::string> problems{};
};
/// Throws only when result.json itself cannot be read.
RecoveredResult recover_result(const SavedFolder& saved);

}  // namespace orrery
