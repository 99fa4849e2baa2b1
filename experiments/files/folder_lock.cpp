#include "experiments/files/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "experiments/files/file.h"
#include "experiments/files/notices.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view before_kernel = ", kernel ";

fs::path lock_path(const fs::path& folder) { return folder / ".lock"; }

/// The first line; what follows it is of a longer one before.
std::string line_in(int fd, const std::string& path) {
  std::array<char, 512> text{};
  const ssize_t count = retried([&] { return ::pread(fd, text.data(), text.size(), 0); });
  if (count < 0) throw io_error(path, "read", errno);
  const std::string_view all(text.data(), static_cast<std::size_t>(count));
  return std::string(all.substr(0, all.find('\n')));
}

/// The file is opened anew each time: that is when NFS asks its server.
std::string line_in(const fs::path& folder) {
  const std::string path = lock_path(folder).string();
  const Descriptor fd = opened(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd.is_open()) throw io_error(path, "read", errno);
  return line_in(fd.get(), path);
}

std::string holder_of(std::string_view line) {
  return line.empty() ? "another process" : std::string(line.substr(0, line.find(", ")));
}

/// The line for who only asks: empty also where it cannot be read.
std::string line_or_none(const fs::path& folder) try {
  return line_in(folder);
} catch (const IoError&) {
  return {};
}

/// The name of the kernel since it was started: it knows every flock that it gave, to whatever
/// container. Empty where it has none.
std::string this_kernel() {
  std::array<char, 64> id{};
  const Descriptor fd = opened("/proc/sys/kernel/random/boot_id", O_RDONLY);
  if (!fd.is_open()) return {};
  const ssize_t count = retried([&] { return ::read(fd.get(), id.data(), id.size()); });
  const std::string_view text(id.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return std::string(text.substr(0, text.find('\n')));
}

/// Whether it was written with an flock that this kernel would know.
bool is_of_this_kernel(std::string_view line) {
  const std::string kernel = this_kernel();
  return !kernel.empty() &&
         line.find(fmt::format("{}{},", before_kernel, kernel)) != std::string_view::npos;
}

/// Processes of two machines may have the same number, so a run has a number of its own.
std::string this_owner(bool locked) {
  std::array<char, 128> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {};
  return fmt::format("process {} on {}{}, run {}, beat ", ::getpid(), host.data(),
                     locked ? fmt::format("{}{}", before_kernel, this_kernel()) : "",
                     random_word());
}

using Holders = std::map<fs::path, std::string>;

/// Those of the folders whose lines change, with who writes there.
Holders living(Holders lines, const LockTimes& times) {
  Holders found;
  for (int look = 0; look < times.looks && !lines.empty(); ++look) {
    std::this_thread::sleep_for(times.beat);
    std::erase_if(lines, [&](const auto& one) {
      const std::string now = line_or_none(one.first);
      if (now == one.second) return false;
      if (!now.empty()) found.emplace(one.first, holder_of(now));
      return true;
    });
  }
  return found;
}

}  // namespace

LockedError::LockedError(const fs::path& folder, std::string_view holder)
    : Error(ErrorKind::locked, folder.string(), fmt::format("is being written by {}", holder),
            "wait until that has finished, stop it, or choose another folder with --out") {}

FolderLock::FolderLock(const fs::path& folder, const LockTimes& times)
    : folder_(folder), times_(times) {
  const std::string path = lock_path(folder).string();
  // A link in a folder from somebody else must not have another file emptied.
  fd_ = opened(path, O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!fd_.is_open()) throw io_error(path, "created", errno);
  take();
}

FolderLock::~FolderLock() {
  beats_ = {};  // joins
  try {
    if (has_line_ && line_in(folder_).starts_with(owner_) && ::ftruncate(fd_.get(), 0) != 0)
      errno = 0;
  } catch (const std::exception&) {  // others find the line without a beat
  }
}

/// Returns false where there are no locks.
bool FolderLock::lock() {
  constexpr std::chrono::milliseconds pause{10};
  constexpr int most_pauses = 100;
  for (int pauses = 0;; ++pauses) {
    if (retried([&] { return ::flock(fd_.get(), LOCK_EX | LOCK_NB); }) == 0) return true;
    if (has_no_locks(errno)) return false;
    if (errno != EWOULDBLOCK) throw io_error(lock_path(folder_).string(), "locked", errno);
    // held_folders has it for an instant, and a holder writes its line a moment later.
    const std::string line = pauses < 5 ? "" : line_in(folder_);
    if (!line.empty() || pauses == most_pauses) throw LockedError(folder_, holder_of(line));
    std::this_thread::sleep_for(pause);
  }
}

void FolderLock::take() {
  locked_ = lock();
  owner_ = this_owner(locked_);
  if (!locked_) say_line_for_lock(folder_);
  const std::string before = line_in(folder_);
  const bool doubtful = !before.empty() && !(locked_ && is_of_this_kernel(before));
  if (doubtful) {
    say_watched(folder_, holder_of(before), times_.looks * times_.beat);
    const Holders alive = living({{folder_, before}}, times_);
    if (!alive.empty()) throw LockedError(folder_, alive.begin()->second);
    if (line_in(folder_) == before) say_taken_over(folder_, holder_of(before));
  }
  has_line_ = write_line();
  // With a lock the line serves others alone, so a full disk is no reason to fail.
  if (!has_line_ && locked_) return;
  if (!has_line_) throw io_error(lock_path(folder_).string(), "written", errno);
  // Others may have waited for the same holder, each with a lock of its own machine.
  if (!locked_ || doubtful) {
    std::this_thread::sleep_for(times_.settle);
    require_held();
  }
  try {
    beats_ = std::jthread([this](const std::stop_token& stop) { keep_beating(stop); });
  } catch (const std::system_error&) {  // no room for a thread: require_held() beats
  }
}

/// Closing the file is what brings it to the server of a network's disk.
bool FolderLock::write_line() {
  Descriptor fd = opened(lock_path(folder_), O_WRONLY | O_NOFOLLOW);
  if (!fd.is_open()) return false;
  const std::string line = fmt::format("{}{}\n", owner_, beat_++);
  const auto size = static_cast<ssize_t>(line.size());
  const bool written =
      retried([&] { return ::pwrite(fd.get(), line.data(), line.size(), 0); }) == size &&
      retried([&] { return ::ftruncate(fd.get(), size); }) == 0;
  const int code = errno;
  const bool closed = ::close(fd.release()) == 0;
  if (!written) errno = code;
  return written && closed;
}

void FolderLock::keep_beating(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, stop, times_.beat, [&] { return stop.stop_requested(); })) try {
      if (!line_in(folder_).starts_with(owner_)) return;
      write_line();
    } catch (const std::exception&) {  // the next one may succeed
    }
}

void FolderLock::require_held() {
  if (!has_line_) return;
  try {
    const std::string line = line_in(folder_);
    if (!line.starts_with(owner_)) throw LockedError(folder_, holder_of(line));
  } catch (const IoError&) {
    if (!locked_) throw;
    return;  // the lock is what there is
  }
  if (!beats_.joinable()) write_line();
}

Holders held_folders(const std::vector<fs::path>& folders, const LockTimes& times, Holders* dead) {
  Holders held, doubtful;
  for (const fs::path& folder : folders) {
    Descriptor fd = opened(lock_path(folder), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!fd.is_open()) continue;
    const bool locked = retried([&] { return ::flock(fd.get(), LOCK_SH | LOCK_NB); }) == 0;
    const bool refused = !locked && errno == EWOULDBLOCK;
    fd = Descriptor();
    std::string line = line_or_none(folder);
    if (refused)
      held.emplace(folder, holder_of(line));
    else if (!line.empty() && !(locked && is_of_this_kernel(line)) &&
             !(dead != nullptr && dead->contains(folder) && dead->at(folder) == line))
      doubtful.emplace(folder, std::move(line));
  }
  Holders alive = living(doubtful, times);
  if (dead != nullptr)
    for (const auto& [folder, line] : doubtful)
      if (!alive.contains(folder)) dead->insert_or_assign(folder, line);
  held.merge(alive);
  return held;
}

FolderTurn::FolderTurn(const std::filesystem::path& folder)
    : fd_(opened(folder, O_RDONLY | O_DIRECTORY)) {
  if (!fd_.is_open()) throw io_error(folder.string(), "opened", errno);
  if (retried([&] { return ::flock(fd_.get(), LOCK_EX); }) != 0 && has_no_locks(errno))
    say_no_locks(folder);
}

}  // namespace orrery
