#pragma once

#include <cstdint>
#include <filesystem>

struct stat;

namespace orrery {

/// What tells one content of a file from another without reading it: which file it is, its size,
/// and when it was last written.
struct FileVersion {
  std::uint64_t device{}, inode{};
  std::uintmax_t size{};
  std::int64_t seconds{}, nanoseconds{};
  bool is_there() const { return inode != 0; }
  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

FileVersion version_of(const struct stat& status);
/// The same of what lies at a path, links followed; of nothing, or what cannot be looked at, one
/// that no file has.
FileVersion version_at(const std::filesystem::path& path);

}  // namespace orrery
