#include "experiments/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "experiments/files/file.h"

namespace orrery {
namespace {

/// A mapping that is watched. Never freed, as the handler may be at it, but used again.
struct Watched {
  std::atomic<const char*> begin{nullptr};
  std::atomic<std::size_t> size{0};
  std::atomic<bool> is_short{false};
  std::atomic<bool> is_used{true};
  Watched* next{nullptr};
};

std::atomic<Watched*> all_watched{nullptr};
struct sigaction action_before {};

/// A byte of a mapping is gone: zeros take the place of its page. Of other addresses the handler that was there before
/// hears, when the instruction is tried again.
void put_zeros(int, siginfo_t* info, void*) {
  const int before = errno;
  const auto* const at = static_cast<const char*>(info->si_addr);
  for (Watched* one = all_watched; one; one = one->next) {
    const char* const begin = one->begin;
    if (!begin || std::less<>()(at, begin) || !std::less<>()(at, begin + one->size)) continue;
    one->is_short = true;
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    char* const first = const_cast<char*>(at) - reinterpret_cast<std::uintptr_t>(at) % page;
    if (::mmap(first, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        MAP_FAILED) {
      errno = before;
      return;
    }
  }
  ::sigaction(SIGBUS, &action_before, nullptr);
}

Watched* watch(const char* begin, std::size_t size) {
  static std::once_flag is_installed;
  std::call_once(is_installed, [] {
    struct sigaction action {};
    action.sa_sigaction = put_zeros;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(SIGBUS, &action, &action_before);
  });
  Watched* one = all_watched;
  for (bool unused = false; one; one = one->next, unused = false)
    if (one->is_used.compare_exchange_strong(unused, true)) break;
  if (!one) {
    one = new Watched;
    one->next = all_watched;
    while (!all_watched.compare_exchange_weak(one->next, one)) {
    }
  }
  one->is_short = false;
  one->size = size;
  one->begin = begin;
  return one;
}

void unwatch(const char* begin) {
  for (Watched* one = all_watched; one; one = one->next)
    if (one->begin == begin) {
      one->begin = nullptr;
      one->is_used = false;
      return;
    }
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, std::string_view display_name)
    : name_(display_name.empty() ? path.string() : std::string(display_name)) {
  const Descriptor file = opened_to_read(path, name_);
  struct stat status {};
  if (retried([&] { return ::fstat(file.get(), &status); }) != 0)
    throw io_error(name_, "read", errno);
  if (status.st_size <= 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapped == MAP_FAILED) throw io_error(name_, "read", errno);
  data_ = static_cast<const char*>(mapped);
  size_ = size;
  is_short_ = &watch(data_, size_)->is_short;
}

MappedFile::~MappedFile() {
  if (!data_) return;
  unwatch(data_);
  ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::require_whole() const {
  if (is_short_ && *is_short_)
    throw IoError(name_, "was shortened by another process while it was read",
                  "wait until it is written in full, and run this again");
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
  file.require_whole();
  return hash.hex();
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      name_(std::move(other.name_)),
      is_short_(std::exchange(other.is_short_, nullptr)) {}

}  // namespace orrery
