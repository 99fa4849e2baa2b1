#pragma once

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::files {

/// The result of a system call that reports errors by −1, begun again for as long as a signal
/// interrupts it. Not for close(): Linux has closed the file by then.
template <class Call>
auto retried(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

/// Whether the code says that the file system has no such thing, rather than that it failed.
inline bool is_missing_feature(int code) {
  return code == ENOSYS || code == EOPNOTSUPP || code == EINVAL;
}

/// Whether flock failed since the file system has no locks; EIO is what some network disks say.
inline bool has_no_locks(int code) {
  return is_missing_feature(code) || code == ENOLCK || code == EIO;
}

/// fsync. Where the file system has none, says so once and goes on. Throws IoError, naming `path`.
void sync_file(int descriptor, std::string_view path);
/// close, which Linux has done also where it reports an interruption. Throws IoError.
void close_file(int descriptor, std::string_view path);

/// Says on standard error, once in a process, that nobody keeps others from writing to the folder.
void say_no_locks(const std::filesystem::path& folder);
/// The same, that nothing waits for the disk.
void say_no_sync();

}  // namespace orrery::files
