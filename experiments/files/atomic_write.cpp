#include "experiments/files/atomic_write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>  // renameat2
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include "experiments/files/file.h"
#include "experiments/files/notices.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

bool is_leftover(const std::string& name) {
  return name.front() == '.' &&
         (name.find(".tmp-") != std::string::npos || name.find(".old-") != std::string::npos);
}

/// The process in ".NAME.tmp-PID", with or without more words; 0 when the name is another one.
pid_t writer_in(std::string_view name, std::string_view stem) {
  pid_t process = 0;
  if (!name.starts_with(stem)) return 0;
  const std::string_view number = name.substr(stem.size());
  const auto read = std::from_chars(number.data(), number.data() + number.size(), process);
  const bool whole = read.ptr == number.data() + number.size() || *read.ptr == '-';
  return read.ec == std::errc() && whole && process > 0 ? process : 0;
}

/// A process of another machine, on a shared disk, has no number here but holds its lock. Where
/// there are no locks, it is taken for one of this machine.
bool is_unlocked(const fs::path& path) {
  const Descriptor fd = opened(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd.is_open()) return false;
  return retried([&] { return ::flock(fd.get(), LOCK_EX | LOCK_NB); }) == 0 || has_no_locks(errno);
}

/// Gives a file its name, unless another file has it.
void take_new_name(const fs::path& temporary, const fs::path& path) {
  if (retried([&] {
        return ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
      }) == 0)
    return;
  // Not every file system knows the flag.
  const bool unknown = errno == EINVAL || errno == ENOSYS;
  if (!unknown || retried([&] { return ::link(temporary.c_str(), path.c_str()); }) != 0)
    throw io_error(path.string(), "created", errno);
  ::unlink(temporary.c_str());
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

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

std::string hidden_name(const fs::path& target, std::string_view purpose) {
  return fmt::format(".{}.{}-{}-{}", target.filename().string(), purpose, ::getpid(),
                     random_word().substr(0, 8));  // names have 255 bytes
}

void require_space(const fs::path& path, std::uintmax_t bytes) {
  std::error_code unknown;
  const fs::space_info space = fs::space(folder_of(path), unknown);
  if (unknown || bytes <= space.available) return;
  throw IoError(path.string(),
                fmt::format("takes {}, and {} are free on its disk", bytes_text(bytes),
                            bytes_text(space.available)),
                "free some space or choose another disk");
}

AtomicFile::AtomicFile(fs::path path, std::uintmax_t bytes, Existing existing)
    : path_(std::move(path)), existing_(existing) {
  const fs::path folder = folder_of(path_);
  make_folders(folder);
  require_space(path_, bytes);
  temporary_ = folder / hidden_name(path_, "tmp");
  descriptor_ = opened(temporary_, O_RDWR | O_CREAT | O_EXCL);
  if (!descriptor_.is_open()) throw io_error(path_.string(), "created", errno);
  // Tells remove_abandoned on another machine that this process lives.
  if (retried([&] { return ::flock(descriptor_.get(), LOCK_EX | LOCK_NB); }) != 0 &&
      has_no_locks(errno))
    say_no_locks(folder);
}

AtomicFile::~AtomicFile() {
  descriptor_ = Descriptor();
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void AtomicFile::write(std::uintmax_t offset, std::string_view bytes) {
  write_at(descriptor_.get(), offset, bytes, path_.string());
  // The disk works while the next bytes are computed, and commit() waits for less. It is a hint.
  ::sync_file_range(descriptor_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes.size()),
                    SYNC_FILE_RANGE_WRITE);
}

void AtomicFile::read(std::uintmax_t offset, std::span<char> bytes) const {
  if (read_at(descriptor_.get(), offset, bytes, path_.string()) != bytes.size())
    throw io_error(path_.string(), "read", EIO);
}

void AtomicFile::commit() {
  sync_file(descriptor_.get(), path_.string());
  close_file(descriptor_.release(), path_.string());
  if (existing_ == Existing::refused)
    take_new_name(temporary_, path_);
  else if (retried([&] { return std::rename(temporary_.c_str(), path_.c_str()); }) != 0)
    throw io_error(path_.string(), "replaced", errno);
  temporary_.clear();
  sync_folder(folder_of(path_));
}

void atomic_write(const fs::path& path, std::string_view bytes, Existing existing) {
  AtomicFile file(path, bytes.size(), existing);
  file.write(0, bytes);
  file.commit();
}

void remove_abandoned(const fs::path& target) {
  const fs::path folder = folder_of(target);
  const std::string stem = fmt::format(".{}.tmp-", target.filename().string());
  std::error_code failure;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const pid_t writer = writer_in(entry->path().filename().string(), stem);
    const bool is_gone = writer > 0 && ::kill(writer, 0) != 0 && errno == ESRCH;
    if (is_gone && is_unlocked(entry->path())) abandoned.push_back(entry->path());
  }
  for (const fs::path& path : abandoned) fs::remove_all(path, failure);
}

void remove_leftovers(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    if (is_leftover(entry->path().filename().string())) leftovers.push_back(entry->path());
  if (failure) throw io_error(folder.string(), "read", failure.value());
  for (const fs::path& path : leftovers) {
    fs::remove_all(path, failure);
    if (failure) throw io_error(path.string(), "removed", failure.value());
  }
}

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
