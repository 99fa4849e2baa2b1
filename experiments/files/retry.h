#pragma once

#include <cerrno>

namespace orrery {

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

}  // namespace orrery
