#include "experiments/batch/folder_swap.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>  // renameat2
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "experiments/data/file.h"

namespace orrery {
namespace {

std::string hidden_stem(const std::filesystem::path& target, const char* purpose) {
  return fmt::format(".{}.{}-{}", target.filename().string(), purpose, ::getpid());
}

/// "/a/b" + "tmp" → "/a/.b.tmp-PID", with a number behind while that is taken: a process that was
/// killed may have left one.
std::filesystem::path make_sibling(const std::filesystem::path& target, const char* purpose) {
  const std::string stem = hidden_stem(target, purpose);
  constexpr int attempts = 1000;
  for (int i = 0; i < attempts; ++i) {
    const std::filesystem::path path =
        target.parent_path() / (i == 0 ? stem : fmt::format("{}-{}", stem, i));
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    if (errno != EEXIST) throw io_error(path.string(), "created", errno);
  }
  throw io_error((target.parent_path() / stem).string(), "created", EEXIST);
}

void rename_or_throw(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw io_error(to.string(), "replaced", errno);
}

}  // namespace

FolderSwap::FolderSwap(const std::filesystem::path& target) : target_(target) {
  make_folders(target_.parent_path());
  temporary_ = make_sibling(target_, "tmp");
}

FolderSwap::~FolderSwap() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void FolderSwap::commit() {
  // rename takes the place of nothing or of an empty folder; a full one is exchanged.
  if (::rename(temporary_.c_str(), target_.c_str()) == 0)
    temporary_.clear();
  else if (errno != ENOTEMPTY && errno != EEXIST)
    throw io_error(target_.string(), "replaced", errno);
  else if (!exchange())
    replace_in_two_steps();
  sync_folder(target_.parent_path());
}

/// False where the file system cannot exchange; then nothing has changed.
bool FolderSwap::exchange() {
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0)
    return true;  // temporary_ is now the old folder, which the destructor removes
  if (errno != EINVAL && errno != ENOSYS) throw io_error(target_.string(), "replaced", errno);
  return false;
}

void FolderSwap::replace_in_two_steps() {
  const std::filesystem::path old = make_sibling(target_, "old");
  rename_or_throw(target_, old);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int code = errno;
    rename_or_throw(old, target_);
    throw io_error(target_.string(), "replaced", code);
  }
  temporary_ = old;
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path temporary = path.parent_path() / hidden_stem(path, "tmp");
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);  // of a killed process that had this number
  try {
    write_new_file(temporary, bytes);
    rename_or_throw(temporary, path);
  } catch (const IoError&) {
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  sync_folder(path.parent_path());
}

void remove_leftovers(const std::filesystem::path& folder) {
  std::error_code failure;
  std::vector<std::filesystem::path> leftovers;
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.front() == '.' &&
        (name.find(".tmp-") != std::string::npos || name.find(".old-") != std::string::npos))
      leftovers.push_back(entry->path());
  }
  if (failure) throw io_error(folder.string(), "read", failure.value());
  for (const std::filesystem::path& path : leftovers) {
    std::filesystem::remove_all(path, failure);
    if (failure) throw io_error(path.string(), "removed", failure.value());
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw io_error(folder.string(), "opened", errno);
  const bool synced = ::fsync(fd) == 0 || errno == EINVAL;  // some file systems have nothing to do
  const int code = errno;
  ::close(fd);
  if (!synced) throw io_error(folder.string(), "written", code);
}

void make_folders(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw io_error(folder.string(), "created", failure.value());
}

}  // namespace orrery
