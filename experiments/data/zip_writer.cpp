#include "experiments/data/zip_writer.h"

#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <string_view>

#include "core/errors.h"
#include "experiments/data/zip_error.h"

namespace orrery::data {
namespace {

using Source = std::unique_ptr<zip_source_t, decltype(&zip_source_free)>;

constexpr zip_int64_t to_its_end = -1;

/// libzip fails to make an archive where memory runs out, or where its target throws.
void require_made(bool done) {
  if (!done) throw std::bad_alloc();
}

void add_stored(zip_t* archive, const std::string& name, zip_source_t* source) {
  constexpr zip_uint16_t midnight = 0;
  constexpr zip_uint16_t first_of_1980 = 1 << 5 | 1;
  require_made(source != nullptr);
  const zip_int64_t added = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (added < 0) zip_source_free(source);
  require_made(added >= 0);
  const auto index = static_cast<zip_uint64_t>(added);
  require_made(zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0);
  require_made(zip_file_set_dostime(archive, index, midnight, first_of_1980, 0) == 0);
}

std::string content(zip_source_t* source) {
  zip_stat_t status;
  zip_stat_init(&status);
  require_made(zip_source_stat(source, &status) == 0 && zip_source_open(source) == 0);
  std::string bytes(static_cast<std::size_t>(status.size), '\0');
  require_made(zip_source_read(source, bytes.data(), bytes.size()) ==
               static_cast<zip_int64_t>(bytes.size()));
  zip_source_close(source);
  return bytes;
}

/// Makes the archive that `add` fills, in `target`.
template <class Add>
void make_archive(zip_source_t* target, const Add& add) {
  ZipError error;
  zip_t* const opened = zip_open_from_source(target, ZIP_TRUNCATE, error.get());
  require_made(opened != nullptr);
  zip_source_keep(target);  // the archive frees it once
  std::unique_ptr<zip_t, decltype(&zip_discard)> archive(opened, &zip_discard);
  add(archive.get());
  require_made(zip_close(archive.get()) == 0);
  static_cast<void>(archive.release());  // zip_close freed it
}

/// Where libzip writes an archive that becomes an AtomicFile. It hands over 8 KiB at a time, which
/// are collected.
class FileTarget {
 public:
  explicit FileTarget(AtomicFile& file) : file_(file) { zip_error_init(&error_); }
  ~FileTarget() { zip_error_fini(&error_); }
  FileTarget(const FileTarget&) = delete;
  FileTarget& operator=(const FileTarget&) = delete;

  static zip_int64_t handle(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    return static_cast<FileTarget*>(self)->handle(data, length, command);
  }
  /// What a write threw, which must not pass through libzip.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  zip_int64_t handle(void* data, zip_uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
            ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_SEEK_WRITE,
            ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_REMOVE, -1);
      case ZIP_SOURCE_STAT:
        zip_stat_init(static_cast<zip_stat_t*>(data));
        return sizeof(zip_stat_t);
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&error_, data, length);
      case ZIP_SOURCE_WRITE:
        return write({static_cast<const char*>(data), static_cast<std::size_t>(length)});
      case ZIP_SOURCE_TELL_WRITE:
        return static_cast<zip_int64_t>(at_);
      case ZIP_SOURCE_SEEK_WRITE: {
        const zip_int64_t to = zip_source_seek_compute_offset(at_, bytes_, data, length, &error_);
        if (to >= 0) at_ = static_cast<std::uint64_t>(to);
        return to >= 0 ? 0 : -1;
      }
      case ZIP_SOURCE_COMMIT_WRITE:
        return flush() ? 0 : -1;
      default:  // nothing to begin or to take back: the AtomicFile does that
        return 0;
    }
  }

  zip_int64_t write(std::string_view bytes) {
    constexpr std::size_t enough = std::size_t{1} << 20;
    const bool follows = at_ == collected_at_ + collected_.size();
    if ((!follows || collected_.size() >= enough) && !flush()) return -1;
    if (collected_.empty()) collected_at_ = at_;
    collected_.append(bytes);
    at_ += bytes.size();
    bytes_ = std::max(bytes_, at_);
    return static_cast<zip_int64_t>(bytes.size());
  }

  bool flush() {
    try {
      if (!collected_.empty()) file_.write(collected_at_, collected_);
    } catch (...) {
      failure_ = std::current_exception();
      zip_error_set(&error_, ZIP_ER_WRITE, 0);
      return false;
    }
    collected_.clear();
    return true;
  }

  AtomicFile& file_;
  std::uint64_t at_{0};
  std::uint64_t bytes_{0};
  std::string collected_{};
  std::uint64_t collected_at_{0};
  zip_error_t error_{};
  std::exception_ptr failure_{};
};

}  // namespace

std::string stored_zip(std::span<const std::pair<std::string, std::string>> members) {
  check_invariant(!members.empty(), "an archive is made for at least one member");
  ZipError error;
  const Source target(zip_source_buffer_create(nullptr, 0, 0, error.get()), &zip_source_free);
  require_made(target != nullptr);
  make_archive(target.get(), [&](zip_t* archive) {
    for (const auto& [name, bytes] : members)
      add_stored(archive, name, zip_source_buffer(archive, bytes.data(), bytes.size(), 0));
  });
  return content(target.get());
}

void write_stored_zip(std::span<ZipFileMember> members, AtomicFile& file) {
  check_invariant(!members.empty(), "an archive is made for at least one member");
  FileTarget to(file);
  ZipError error;
  const Source target(zip_source_function_create(&FileTarget::handle, &to, error.get()),
                      &zip_source_free);
  require_made(target != nullptr);
  try {
    make_archive(target.get(), [&](zip_t* archive) {
      for (ZipFileMember& member : members) {
        std::rewind(member.file.get());  // libzip begins where the file is
        // It takes the permissions of a file, and these for what is in memory.
        require_made(::fchmod(::fileno(member.file.get()), 0666) == 0);
        zip_source_t* const source = zip_source_filep(archive, member.file.get(), 0, to_its_end);
        require_made(source != nullptr);
        static_cast<void>(member.file.release());  // the source closes it
        add_stored(archive, member.name, source);
      }
    });
  } catch (const std::bad_alloc&) {
    to.rethrow();
    throw;
  }
}

}  // namespace orrery::data
