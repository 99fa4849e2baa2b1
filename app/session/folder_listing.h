#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// The kinds of paths that the desktop tells apart.
enum class PathKind { folder, result_folder, sweep_folder, tensor, text, other };

struct FolderListing {
  struct Entry {
    std::string name{};
    PathKind kind{};
    std::uintmax_t bytes{};  ///< size of a file
  };

  std::filesystem::path folder{};
  std::vector<Entry> entries{};  ///< folders first, then by name; hidden ones are left out
  bool cut{};                    ///< whether entries beyond max_entries were left out
};

inline constexpr std::size_t max_entries = 20'000;

/// "npy" of "A.NPY": in lower case, without the dot.
std::string extension_of(const std::filesystem::path& path);
/// A folder holds a result when it has a result.json, a sweep when it has a plan.json; a file is
/// recognised by its extension.
PathKind path_kind(const std::filesystem::path& path);
/// May take long on a slow disk. Throws IoError.
FolderListing list_folder(const std::filesystem::path& folder);

/// The tensor in a folder that was written last; empty without one.
std::filesystem::path newest_tensor(const std::filesystem::path& folder);

/// A path as far as it is typed: the folder that it is in, and the beginning of a name there.
struct TypedPath {
  std::filesystem::path folder{};
  std::string beginning{};
};

/// "/data/ru" is "ru" in /data; "~/" is the home folder; what does not begin at the root begins at
/// `here`.
TypedPath typed_path(std::string_view typed, const std::filesystem::path& here);

/// Whether a name begins so, in whichever case the letters of ASCII are.
bool begins_with(std::string_view name, std::string_view beginning);

/// What the names that begin so have in common, at least `beginning` itself.
std::string completed(const std::string& beginning, const std::vector<std::string>& names);

}  // namespace orrery
