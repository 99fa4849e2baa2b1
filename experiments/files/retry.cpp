#include "experiments/files/retry.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

#include "experiments/files/file.h"
#include "experiments/text/printable.h"

namespace orrery::files {

void sync_file(int descriptor, std::string_view path) {
  if (retried([&] { return ::fsync(descriptor); }) == 0) return;
  if (!is_missing_feature(errno)) throw io_error(path, "written", errno);
  say_no_sync();
}

void close_file(int descriptor, std::string_view path) {
  if (::close(descriptor) != 0 && errno != EINTR) throw io_error(path, "written", errno);
}

void say_no_locks(const std::filesystem::path& folder) {
  static std::once_flag once;
  std::call_once(once, [&] {
    fmt::print(stderr,
               "orrery: this file system has no locks: do not write to {} from two programs at "
               "once\n",
               text::without_controls(folder.string()));
  });
}

void say_no_sync() {
  static std::once_flag once;
  std::call_once(once, [] {
    fmt::print(stderr,
               "orrery: this file system cannot be waited for: after a power failure new files may "
               "be missing\n");
  });
}

}  // namespace orrery::files
