#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/errors.h"
#include "experiments/files/file.h"

namespace orrery {

/// Another process holds the folder. Exit status 6.
class LockedError : public Error {
 public:
  LockedError(const std::filesystem::path& folder, std::string_view holder);
};

/// The times of the protocol of FolderLock. They are lengths by one machine's own clock: clocks of
/// two machines are never compared.
struct LockTimes {
  std::chrono::milliseconds beat{2000};  ///< a holder renews its line, and others look at it
  int looks{10};                         ///< after so many without a change the holder is dead
  /// Without an flock, and after a take-over: a line must have stood so long.
  std::chrono::milliseconds settle{2000};
};

/// For who only asks: a holder whose disk is slow may seem dead.
inline constexpr LockTimes brief_look{.looks = 3};

/// Locks a folder for one process among those of all machines: by an flock on ".lock" in it, and by
/// the line in that file, which names the holder and has a number that grows every few seconds.
///
/// - Who gets the flock and finds no line, or one that was written on this machine with an flock,
///   holds the folder: whoever wrote the line is dead.
/// - Who finds another line, or has no flock, looks at the line for a while. If it changes its
///   writer lives; if not, the folder is taken over, and standard error says so.
/// - After that, and where the file system has no locks, the line has to stand for a moment after it
///   was written. Of several that write at once, the last one holds the folder.
/// - A holder whose line is no longer there has been taken for dead: require_held() says so before
///   it writes.
class FolderLock {
 public:
  /// Throws LockedError, naming the holder; IoError.
  explicit FolderLock(const std::filesystem::path& folder, const LockTimes& times = {});
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Throws LockedError when another process has taken the folder over; without an flock also
  /// IoError. Not thread-safe.
  void require_held();

 private:
  bool lock();
  void take();
  bool write_line();
  void keep_beating(const std::stop_token& stop);

  std::filesystem::path folder_;
  LockTimes times_;
  std::string owner_{};  ///< the line up to its number
  Descriptor fd_{};
  bool locked_{false};          ///< has the flock, too
  bool has_line_{false};        ///< a full disk may have no room for one
  unsigned long long beat_{0};  ///< of the thread alone, once it runs
  std::mutex mutex_{};
  std::condition_variable_any stopped_{};
  std::jthread beats_{};
};

/// Those of the folders that a process holds now, with the holders' names. Where a line of another
/// machine has to be looked at, that is done for all at once. It changes nothing.
/// @param dead  lines that were found not to change, for who asks again: they are not looked at
///              once more, and those that are found now are added
std::map<std::filesystem::path, std::string> held_folders(
    const std::vector<std::filesystem::path>& folders, const LockTimes& times = {},
    std::map<std::filesystem::path, std::string>* dead = nullptr);

/// One's turn at changing a small file of a folder, between reading and replacing it: waits until
/// no other holder of a turn is left, in this process or another. It leaves no file behind, and a
/// FolderLock does not keep anybody waiting. Where the file system knows no such lock, as NFS may
/// not, nobody waits, and standard error says so.
class FolderTurn {
 public:
  /// Throws IoError: the folder cannot be opened.
  explicit FolderTurn(const std::filesystem::path& folder);

 private:
  Descriptor fd_;
};

}  // namespace orrery
