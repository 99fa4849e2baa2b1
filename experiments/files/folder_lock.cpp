#include "experiments/files/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "experiments/files/file.h"
#include "experiments/files/notices.h"
#include "experiments/files/retry.h"

namespace orrery::files {
namespace {

std::filesystem::path lock_path(const std::filesystem::path& folder) { return folder / ".lock"; }

std::string holder_in(int fd) {
  std::array<char, 256> text{};
  const ssize_t count = ::pread(fd, text.data(), text.size() - 1, 0);
  return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count)) : "another process";
}

std::string this_process() {
  std::array<char, 128> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {};
  return fmt::format("process {} on {}", ::getpid(), host.data());
}

}  // namespace

LockedError::LockedError(const std::filesystem::path& folder, std::string_view holder)
    : Error(ErrorKind::locked, folder.string(), fmt::format("is being written by {}", holder),
            "wait until that has finished, stop it, or choose another folder with --out") {}

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::string path = lock_path(folder).string();
  // A link in a folder from somebody else must not have another file emptied.
  fd_ = retried(
      [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666); });
  if (fd_ < 0) throw io_error(path, "created", errno);
  if (retried([&] { return ::flock(fd_, LOCK_EX | LOCK_NB); }) != 0) {
    const int code = errno;
    if (!has_no_locks(code)) {
      const std::string holder = holder_in(fd_);
      ::close(fd_);
      if (code == EWOULDBLOCK) throw LockedError(folder, holder);
      throw io_error(path, "locked", code);
    }
    say_no_locks(folder);
  }
  // The name only serves a message, so a full disk is no reason to fail.
  const std::string name = this_process();
  if (::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, name.data(), name.size(), 0) < 0) errno = 0;
}

FolderLock::~FolderLock() {
  if (::ftruncate(fd_, 0) != 0) errno = 0;
  ::close(fd_);
}

bool FolderLock::is_held(const std::filesystem::path& folder) {
  const int fd = ::open(lock_path(folder).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool held =
      retried([&] { return ::flock(fd, LOCK_SH | LOCK_NB); }) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return held;
}

FolderTurn::FolderTurn(const std::filesystem::path& folder) {
  fd_ = retried([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd_ < 0) throw io_error(folder.string(), "opened", errno);
  if (retried([&] { return ::flock(fd_, LOCK_EX); }) != 0 && has_no_locks(errno))
    say_no_locks(folder);
}

FolderTurn::~FolderTurn() { ::close(fd_); }

}  // namespace orrery::files
