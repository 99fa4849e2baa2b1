#pragma once

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.h"

struct stat;

namespace orrery {

/// A file descriptor that is closed on destruction.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  /// Leaves the closing to the caller.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// open with O_CLOEXEC, and the usual permissions for a file that it creates. One that is not open
/// has its reason in errno.
Descriptor opened(const std::filesystem::path& path, int flags);

/// Opens a regular file for reading. Throws IoError as read_file does.
Descriptor opened_to_read(const std::filesystem::path& path, std::string_view display_name);

/// The whole content of a regular file.
/// @param max_bytes     the largest size that is accepted
/// @param display_name  the file's name in messages ("text=notes.txt"); its path when empty
/// Throws IoError: missing, unreadable, or not a regular file (folders, pipes and devices are never
/// opened), or its size or time of writing changed while it was read. Throws DataError: longer than
/// max_bytes.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes,
                      std::string_view display_name = {});

/// read_file for a file that another process may append to: what it held when its end was reached.
std::string read_growing_file(const std::filesystem::path& path, std::uintmax_t max_bytes);

/// When the bytes of a new file reach the disk: before write_new_file returns, or with those of
/// many others in AtomicFolder::commit.
enum class Sync { now, later };

/// Creates a new file and fills it.
/// Throws IoError with the system's reason: the file exists, no space, no permission.
void write_new_file(const std::filesystem::path& path, std::string_view bytes,
                    Sync sync = Sync::now);

/// A new file that is filled from its beginning to its end.
class NewFile {
 public:
  /// Creates the file. Throws IoError with the system's reason, as the functions below.
  explicit NewFile(const std::filesystem::path& path);

  void append(std::string_view bytes);
  void close(Sync sync);

 private:
  std::string name_;
  Descriptor descriptor_;
};

/// The current folder. Throws IoError: it has been removed.
std::filesystem::path current_folder();

/// create_directories that throws IoError.
void make_folders(const std::filesystem::path& folder);
/// Waits until the folder's entries have reached the disk. Throws IoError.
void sync_folder(const std::filesystem::path& folder);

/// "PATH: cannot be VERB (reason of errno `code`); REMEDY".
IoError io_error(std::string_view path, std::string_view verb, int code);

/// Writes all of the bytes from the offset on. Throws IoError, naming `path`.
void write_at(int descriptor, std::uintmax_t offset, std::string_view bytes, std::string_view path);
/// Reads from the offset on until `bytes` is full or the file ends; returns how many there were.
/// Throws IoError, naming `path`.
std::size_t read_at(int descriptor, std::uintmax_t offset, std::span<char> bytes,
                    std::string_view path);

/// fsync. Where the file system has none, says so once and goes on. Throws IoError, naming `path`.
void sync_file(int descriptor, std::string_view path);
/// close, which Linux has done also where it reports an interruption. Throws IoError.
void close_file(int descriptor, std::string_view path);

/// Whether the text is a plain file name in any system: 1 to 128 of A–Z, a–z, 0–9, '_', '-' and
/// '.', not hidden. What a file calls an id is checked for this before it enters a path.
bool is_file_name(std::string_view text);

/// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// The same of bytes that come in parts.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&& other) noexcept;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  Sha256& operator=(Sha256&&) = delete;

  void update(std::string_view bytes);
  /// Of all so far. Starts anew.
  std::string hex();

 private:
  struct Context;  // of nettle
  std::unique_ptr<Context> context_;
};

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

/// Sixteen hexadecimal digits by chance: others each time, also from a process of another machine
/// that has the same number.
std::string random_word();

/// What tells one content of a file from another without reading it: which file it is, its size,
/// and when it was last written.
struct FileVersion {
  std::uint64_t device{}, inode{};
  std::uintmax_t size{};
  std::int64_t seconds{}, nanoseconds{};
  bool is_there() const { return inode != 0; }
  friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

FileVersion version_of(const struct stat& status);
/// The same of what lies at a path, links followed; of nothing, or what cannot be looked at, one
/// that no file has.
FileVersion version_at(const std::filesystem::path& path);

}  // namespace orrery
