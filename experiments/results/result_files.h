#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

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

}  // namespace orrery
