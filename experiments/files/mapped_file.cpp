#include "experiments/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "experiments/files/file.h"
#include "experiments/files/retry.h"

namespace orrery::files {
namespace {

void require_regular(const struct stat& status, const std::string& name) {
  if (S_ISREG(status.st_mode)) return;
  throw IoError(name,
                S_ISDIR(status.st_mode) ? "is a folder, where a file is expected"
                                        : "is a pipe or a device, and only regular files are read",
                "give the path of a file");
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, std::string_view display_name) {
  const std::string name = display_name.empty() ? path.string() : std::string(display_name);
  struct stat status {};
  // Before it is opened, as opening a pipe can block.
  if (retried([&] { return ::stat(path.c_str(), &status); }) != 0)
    throw io_error(name, "read", errno);
  require_regular(status, name);
  const int file = retried([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (file < 0) throw io_error(name, "read", errno);
  int failure = retried([&] { return ::fstat(file, &status); }) == 0 ? 0 : errno;
  if (failure == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED)
      failure = errno;
    else
      data_ = static_cast<const char*>(mapped);
  }
  ::close(file);
  if (failure != 0) throw io_error(name, "read", failure);
  require_regular(status, name);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::forget() const {
  if (data_) ::madvise(const_cast<char*>(data_), size_, MADV_DONTNEED);
}

std::string sha256_of(const MappedFile& file) {
  constexpr std::size_t part = std::size_t{8} << 20;
  Sha256 hash;
  for (std::size_t at = 0; at < file.bytes().size(); at += part) {
    hash.update(file.bytes().substr(at, part));
    file.forget();
  }
  return hash.hex();
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

}  // namespace orrery::files
