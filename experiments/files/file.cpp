#include "experiments/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nettle/sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <system_error>

#include "experiments/files/notices.h"
#include "experiments/files/presence.h"

namespace orrery {
namespace {

std::string_view remedy_for(int code) {
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return "check the path";
    case EACCES:
    case EPERM:
      return "check its permissions";
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another disk";
    case EROFS:
      return "choose a folder that can be written";
    case EEXIST:
      return "choose another name";
    case ELOOP:
      return "remove the link: it could lead to a file that is not Orrery's";
    default:
      return "check the path and the disk";
  }
}

void require_regular(const struct stat& status, std::string_view display_name) {
  if (S_ISREG(status.st_mode)) return;
  throw IoError(display_name,
                S_ISDIR(status.st_mode) ? "is a folder, where a file is expected"
                                        : "is a pipe or a device, and only regular files are read",
                "give the path of a file");
}

DataError too_long(std::string_view display_name, std::uintmax_t max_bytes) {
  return DataError(display_name, fmt::format("is longer than the limit of {} bytes", max_bytes),
                   "give a smaller file");
}

FileVersion version_of_open(const Descriptor& file, std::string_view display_name) {
  struct stat status {};
  if (retried([&] { return ::fstat(file.get(), &status); }) != 0)
    throw io_error(display_name, "read", errno);
  require_regular(status, display_name);
  return version_of(status);
}

/// @param version  when it was opened
std::string read_all(const Descriptor& file, const FileVersion& version, std::uintmax_t max_bytes,
                     std::string_view display_name) {
  if (version.size > max_bytes) throw too_long(display_name, max_bytes);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(version.size));
  std::array<char, 1 << 16> block{};
  for (;;) {
    const ssize_t count = ::read(file.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw io_error(display_name, "read", errno);
    if (count == 0) return bytes;
    bytes.append(block.data(), static_cast<std::size_t>(count));
    if (bytes.size() > max_bytes) throw too_long(display_name, max_bytes);
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  const Descriptor before(std::exchange(fd_, other.release()));
  return *this;
}

Descriptor opened(const std::filesystem::path& path, int flags) {
  return Descriptor(retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); }));
}

Descriptor opened_to_read(const std::filesystem::path& path, std::string_view display_name) {
  struct stat status {};
  // Checked before opening, as opening a device can have effects and opening a pipe can block.
  if (retried([&] { return ::stat(path.c_str(), &status); }) != 0)
    throw io_error(display_name, "read", errno);
  require_regular(status, display_name);
  Descriptor file = opened(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) throw io_error(display_name, "read", errno);
  version_of_open(file, display_name);
  return file;
}

void write_at(int descriptor, std::uintmax_t offset, std::string_view bytes,
              std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t count = retried([&] {
      return ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (count < 0) throw io_error(path, "written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uintmax_t>(count);
  }
}

std::size_t read_at(int descriptor, std::uintmax_t offset, std::span<char> bytes,
                    std::string_view path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = retried([&] {
      return ::pread(descriptor, bytes.data() + done, bytes.size() - done,
                     static_cast<off_t>(offset + done));
    });
    if (count < 0) throw io_error(path, "read", errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void sync_file(int descriptor, std::string_view path) {
  if (retried([&] { return ::fsync(descriptor); }) == 0) return;
  if (!is_missing_feature(errno)) throw io_error(path, "written", errno);
  say_no_sync();
}

void close_file(int descriptor, std::string_view path) {
  if (::close(descriptor) != 0 && errno != EINTR) throw io_error(path, "written", errno);
}

IoError io_error(std::string_view path, std::string_view verb, int code) {
  const std::string reason = std::generic_category().message(code);
  return IoError(path, fmt::format("cannot be {} ({})", verb, reason), remedy_for(code));
}

std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes,
                      std::string_view display_name) {
  const std::string name = display_name.empty() ? path.string() : std::string(display_name);
  const Descriptor file = opened_to_read(path, name);
  const FileVersion before = version_of_open(file, name);
  std::string bytes = read_all(file, before, max_bytes, name);
  const FileVersion after = version_of_open(file, name);
  // The system's own files (/proc) say 0 whatever they hold.
  const bool has_size = after.size > 0;
  if (after != before || (has_size && after.size != bytes.size()))
    throw IoError(name, "changed while it was read",
                  "try again when the program that writes it has finished");
  return bytes;
}

std::string read_growing_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  const std::string name = path.string();
  const Descriptor file = opened_to_read(path, name);
  return read_all(file, version_of_open(file, name), max_bytes, name);
}

NewFile::NewFile(const std::filesystem::path& path)
    : name_(path.string()), descriptor_(opened(path, O_WRONLY | O_CREAT | O_EXCL)) {
  if (!descriptor_.is_open()) throw io_error(name_, "created", errno);
}

void NewFile::append(std::string_view bytes) {
  constexpr std::size_t much = std::size_t{1} << 18;
  const bool is_much = bytes.size() >= much;
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw io_error(name_, "written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  // The disk works while more is computed, and whoever syncs waits for less. It is a hint.
  if (is_much) ::sync_file_range(descriptor_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
}

void NewFile::close(Sync sync) {
  if (sync == Sync::now) sync_file(descriptor_.get(), name_);
  close_file(descriptor_.release(), name_);
}

void write_new_file(const std::filesystem::path& path, std::string_view bytes, Sync sync) {
  NewFile file(path);
  file.append(bytes);
  file.close(sync);
}

std::filesystem::path current_folder() {
  std::error_code failure;
  std::filesystem::path folder = std::filesystem::current_path(failure);
  if (!failure) return folder;
  throw IoError("the current folder", fmt::format("cannot be used ({})", failure.message()),
                "change to a folder that exists, as with cd");
}

void make_folders(const std::filesystem::path& folder) {
  std::error_code failure;
  do std::filesystem::create_directories(folder, failure);
  while (failure == std::errc::interrupted);
  if (failure && folder.is_relative()) current_folder();  // throws where that is the cause
  if (failure) throw io_error(folder.string(), "created", failure.value());
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor fd = opened(folder, O_RDONLY | O_DIRECTORY);
  if (!fd.is_open()) throw io_error(folder.string(), "opened", errno);
  // Many file systems have nothing to wait for here: that is no reason to say so.
  if (retried([&] { return ::fsync(fd.get()); }) != 0 && !is_missing_feature(errno))
    throw io_error(folder.string(), "written", errno);
}

bool is_file_name(std::string_view text) {
  constexpr std::size_t longest = 128;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= longest && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), plain);
}

struct Sha256::Context {
  sha256_ctx of_nettle{};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) { sha256_init(&context_->of_nettle); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&& other) noexcept = default;

void Sha256::update(std::string_view bytes) {
  // std::uint8_t is unsigned char, which may alias any type.
  sha256_update(&context_->of_nettle, bytes.size(),
                reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string Sha256::hex() {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context_->of_nettle, digest.size(), digest.data());
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

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

std::filesystem::file_type type_at(const std::filesystem::path& path) {
  for (;;) {
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(path, failure);
    if (status.type() == std::filesystem::file_type::not_found || !failure) return status.type();
    if (failure.value() != EINTR) throw io_error(path.string(), "read", failure.value());
  }
}

std::string random_word() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}", source(), source());
}

}  // namespace orrery
