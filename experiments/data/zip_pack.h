#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/files/atomic_write.h"

namespace orrery {

// A pack is a zip archive of uncompressed members that grows by groups: the members of one folder
// of the archive, one after the other. The local header of a group's first member has an extra
// field "or" with the length of the whole group, so that the groups are found without the
// directory, which stands behind the last of them while nobody writes. Of two groups of a folder
// the later counts. Members are dated 1980-01-01; from 4 GiB on they take Zip64.

/// The bytes of a group.
/// @param folder   a plain file name
/// @param members  names below the folder in UTF-8, with slashes, and contents; one at least
std::string pack_group(std::string_view folder,
                       std::span<const std::pair<std::string, std::string>> members);

/// The members of a group, by name, as views of its bytes. CRC-32 is not looked at. Throws
/// DataError, naming `name`: the bytes are no group.
std::map<std::string_view, std::string_view, std::less<>> members_of_group(std::string_view group,
                                                                           std::string_view name);

/// The groups of a file as they are when it is opened; another process may append meanwhile.
class ZipPack {
 public:
  /// Where a group lies in the file.
  struct Place {
    std::uint64_t at{};
    std::uint64_t bytes{};
    friend bool operator==(const Place&, const Place&) = default;
  };

  /// A missing file has no groups. What is no group between two of them is passed over. Throws
  /// IoError.
  /// Cost: a read per group.
  explicit ZipPack(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  /// Folders with their places, in the order of the file.
  const std::vector<std::pair<std::string, Place>>& groups() const { return groups_; }
  /// The folder's last group; empty when there is none.
  std::optional<Place> find(std::string_view folder) const;
  /// The end of the last whole group.
  std::uint64_t end() const { return end_; }
  /// Throws DataError: another program has written the archive, so that it has members and no group.
  void require_own() const;
  /// The group's bytes. Throws IoError.
  std::string read(const Place& place) const;

 private:
  void list_groups(std::uint64_t size);

  std::filesystem::path path_;
  Descriptor descriptor_{};
  std::vector<std::pair<std::string, Place>> groups_{};
  std::map<std::string, std::size_t, std::less<>> last_{};  ///< index in groups_, by folder
  std::uint64_t end_{0};
  bool is_foreign_{false};
};

/// The bytes at a place in a pack, which is opened for that alone. Throws IoError.
std::string read_group(const std::filesystem::path& path, const ZipPack::Place& place);

/// A pack that one process writes.
class GrowingZipPack {
 public:
  /// Opens or creates the file; what follows its last group is cut off by the first append.
  /// Throws IoError.
  explicit GrowingZipPack(std::filesystem::path path);

  /// Adds groups, with one wait for the disk. Throws IoError; then the groups of the file are
  /// those that it had.
  void append(std::span<const std::string_view> groups);

  /// Makes the file whole: these groups and their directory. Where they do not follow one another
  /// from the file's beginning, or other bytes stand among them, the file is written anew in their
  /// order and replaced in one step. Nothing is written where all is as it should be. Throws
  /// IoError; then every group is where it was.
  void finish(std::span<const std::string> folders);

 private:
  /// Whether the file ends with a directory that begins at `at`.
  bool has_directory(std::uint64_t at) const;
  /// Throws IoError: another program has replaced the file, or changed its length.
  void require_unchanged() const;
  void replace(AtomicFile& anew);
  void end_at(std::uint64_t end);

  std::filesystem::path path_;
  Descriptor descriptor_{};
  std::uint64_t end_{0};
  bool cut_{false};  ///< whether nothing follows the last group
};

}  // namespace orrery
