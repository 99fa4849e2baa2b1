#pragma once

#include <filesystem>

namespace orrery {

// What lies at a path. "Nothing" is ENOENT and ENOTDIR alone: a disk that fails, or a folder that
// may not be entered, is an IoError with the system's reason, and EINTR is taken up again.

/// The type, links followed; file_type::not_found where there is nothing. Throws IoError.
std::filesystem::file_type type_at(const std::filesystem::path& path);

inline bool is_there(const std::filesystem::path& path) {
  return type_at(path) != std::filesystem::file_type::not_found;
}
inline bool is_file_at(const std::filesystem::path& path) {
  return type_at(path) == std::filesystem::file_type::regular;
}
inline bool is_folder_at(const std::filesystem::path& path) {
  return type_at(path) == std::filesystem::file_type::directory;
}

}  // namespace orrery
