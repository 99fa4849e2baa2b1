#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace orrery {

/// What a path is to the desktop.
enum class PathKind { folder, result_folder, sweep_folder, tensor, text, other };

struct FolderEntry {
  std::string name{};
  PathKind kind{};
  std::uintmax_t bytes{};  ///< of a file
};

struct FolderListing {
  std::filesystem::path folder{};
  std::vector<FolderEntry> entries{};  ///< folders first, then by name; hidden ones are left out
  bool cut{};                          ///< whether there are more than kMostEntries
};

inline constexpr std::size_t kMostEntries = 20'000;

/// "npy" of "A.NPY": in lower case, without the dot.
std::string extension_of(const std::filesystem::path& path);
/// A folder holds a result when it has a result.json, a sweep when it has a plan.json; a file is
/// told by its extension.
PathKind path_kind(const std::filesystem::path& path);
/// May take long on a slow disk. Throws IoError.
FolderListing list_folder(const std::filesystem::path& folder);

/// "12 kB".
std::string bytes_text(std::uintmax_t bytes);

}  // namespace orrery
