#pragma once

#include <filesystem>

#include "core/errors.h"
#include "experiments/model/layers.h"

namespace orrery::files {

/// Another process holds the folder. Exit status 6.
class LockedError : public Error {
 public:
  LockedError(const std::filesystem::path& folder, std::string_view holder);
};

/// Locks a folder for one process: an flock on ".lock" in it, released however the process ends.
/// While held, the file names the holder. Where the file system has no locks, standard error says
/// so, and nobody is kept out.
class FolderLock {
 public:
  /// Throws LockedError, naming the holder; IoError.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Whether any process holds the folder now.
  static bool is_held(const std::filesystem::path& folder);

 private:
  int fd_{-1};
};

/// One's turn at changing a small file of a folder, between reading and replacing it: waits until
/// no other holder of a turn is left, in this process or another. It leaves no file behind, and a
/// FolderLock does not keep anybody waiting. Where the file system knows no such lock, as NFS may
/// not, nobody waits, and standard error says so.
class FolderTurn {
 public:
  /// Throws IoError: the folder cannot be opened.
  explicit FolderTurn(const std::filesystem::path& folder);
  ~FolderTurn();
  FolderTurn(const FolderTurn&) = delete;
  FolderTurn& operator=(const FolderTurn&) = delete;

 private:
  int fd_{-1};
};

}  // namespace orrery::files
