#include "experiments/files/file_version.h"

#include <sys/stat.h>

#include <algorithm>

namespace orrery {

FileVersion version_of(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uintmax_t>(std::max<off_t>(status.st_size, 0)),
          .seconds = status.st_mtim.tv_sec,
          .nanoseconds = status.st_mtim.tv_nsec};
}

FileVersion version_at(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? version_of(status) : FileVersion{};
}

}  // namespace orrery
