#include "experiments/files/atomic_folder.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "experiments/files/atomic_write.h"
#include "experiments/files/notices.h"
#include "experiments/files/retry.h"

namespace orrery {
namespace {

/// Makes "/a/.b.tmp-PID-WORD" for "/a/b" and "tmp".
std::filesystem::path make_sibling(const std::filesystem::path& target, const char* purpose) {
  std::filesystem::path path = target.parent_path() / hidden_name(target, purpose);
  if (retried([&] { return ::mkdir(path.c_str(), 0777); }) == 0) return path;
  throw io_error(path.string(), "created", errno);
}

void rename_or_throw(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (retried([&] { return ::rename(from.c_str(), to.c_str()); }) != 0)
    throw io_error(to.string(), "replaced", errno);
}

}  // namespace

AtomicFolder::AtomicFolder(const std::filesystem::path& target)
    : target_(target.has_parent_path() ? target : std::filesystem::path(".") / target) {
  make_folders(target_.parent_path());
  temporary_ = make_sibling(target_, "tmp");
  opened_ = std::chrono::steady_clock::now();
  descriptor_ = opened(temporary_, O_RDONLY | O_DIRECTORY);
  if (descriptor_.is_open()) {
    // Tells remove_abandoned that this process lives, where the file system has locks at all.
    if (retried([&] { return ::flock(descriptor_.get(), LOCK_EX | LOCK_NB); }) != 0 &&
        has_no_locks(errno))
      say_no_locks(target_.parent_path());
    return;
  }
  const int code = errno;
  ::rmdir(temporary_.c_str());
  throw io_error(temporary_.string(), "opened", code);
}

AtomicFolder::~AtomicFolder() {
  descriptor_ = Descriptor();
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  AtomicFolder* const one = this;
  commit(std::span(&one, 1));
}

void AtomicFolder::commit(std::span<AtomicFolder* const> folders) {
  if (folders.empty()) return;
  // The descriptor that was opened first hears of every failure since.
  (*std::ranges::min_element(folders, {}, [](const AtomicFolder* f) {
    return f->opened_;
  }))->sync_content();
  for (AtomicFolder* folder : folders) folder->take_place();
  sync_folder(folders.front()->target_.parent_path());
}

void AtomicFolder::take_place() {
  // rename replaces a missing or an empty folder; a folder with content has to be exchanged.
  if (retried([&] { return ::rename(temporary_.c_str(), target_.c_str()); }) == 0)
    temporary_.clear();
  else if (errno != ENOTEMPTY && errno != EEXIST)
    throw io_error(target_.string(), "replaced", errno);
  else if (!exchange())
    replace_in_two_steps();
}

/// One wait for the whole file system instead of one per file and folder: a result has a dozen, and
/// each wait takes milliseconds. It reports what could not be written since the descriptor was
/// opened.
void AtomicFolder::sync_content() {
  if (retried([&] { return ::syncfs(descriptor_.get()); }) == 0) return;
  if (!is_missing_feature(errno)) throw io_error(target_.string(), "written", errno);
  say_no_sync();
}

/// Returns false, with nothing changed, where the file system cannot exchange two folders.
bool AtomicFolder::exchange() {
  if (retried([&] {
        return ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(),
                           RENAME_EXCHANGE);
      }) == 0)
    return true;  // temporary_ now names the old folder, which the destructor removes
  if (errno != EINVAL && errno != ENOSYS) throw io_error(target_.string(), "replaced", errno);
  return false;
}

void AtomicFolder::replace_in_two_steps() {
  const std::filesystem::path old = make_sibling(target_, "old");
  rename_or_throw(target_, old);
  if (retried([&] { return ::rename(temporary_.c_str(), target_.c_str()); }) != 0) {
    const int code = errno;
    rename_or_throw(old, target_);
    throw io_error(target_.string(), "replaced", code);
  }
  temporary_ = old;
}

}  // namespace orrery
