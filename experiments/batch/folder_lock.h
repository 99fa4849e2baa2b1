#pragma once

#include <filesystem>

#include "core/errors.h"

namespace orrery {

/// Exit status 6.
class LockedError : public Error {
 public:
  LockedError(const std::filesystem::path& folder, std::string_view holder);
};

/// Holds a folder for one process: an flock on ".lock" in it, which ends with the process however
/// it ends. While held, the file says who holds it.
class FolderLock {
 public:
  /// Throws LockedError, naming who holds it; IoError.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Whether some process holds the folder now.
  static bool is_held(const std::filesystem::path& folder);

 private:
  int fd_{-1};
};

}  // namespace orrery
