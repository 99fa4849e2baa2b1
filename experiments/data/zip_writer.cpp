#include "experiments/data/zip_writer.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <string_view>

#include "core/errors.h"
#include "experiments/data/zip_layout.h"

namespace orrery {
namespace {

using Source = std::unique_ptr<zip_source_t, decltype(&zip_source_free)>;

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

/// Where libzip writes the archive around its members. What it hands over of a member's own bytes
/// is dropped, since they stand there already.
class FileTarget {
 public:
  FileTarget(AtomicFile& file, const std::vector<PlacedMember>& members)
      : file_(file), members_(members) {
    zip_error_init(&error_);
  }
  ~FileTarget() { zip_error_fini(&error_); }
  FileTarget(const FileTarget&) = delete;
  FileTarget& operator=(const FileTarget&) = delete;

  static zip_int64_t handle(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    return static_cast<FileTarget*>(self)->handle(data, length, command);
  }
  /// What a read or a write threw, which must not pass through libzip.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  /// The bytes of a member from `offset` on, at most `length`; -1 where that failed.
  zip_int64_t read(const PlacedMember& member, std::uint64_t offset, char* to,
                   std::uint64_t length) {
    return guarded([&] {
      check_invariant(offset > 0 || at_ == member.at, "libzip puts members where they were placed");
      const std::uint64_t count = std::min(length, member.bytes - offset);
      for (std::uint64_t done = 0; done < count;) {
        const std::string_view ahead = ahead_of(member, offset + done).substr(0, count - done);
        std::memcpy(to + done, ahead.data(), ahead.size());
        done += ahead.size();
      }
      return count;
    });
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
      default:  // nothing to begin or to take back: the AtomicFile does that
        return 0;
    }
  }

  zip_int64_t write(std::string_view bytes) {
    return guarded([&] {
      if (!is_placed()) file_.write(at_, bytes);
      at_ += bytes.size();
      bytes_ = std::max(bytes_, at_);
      return bytes.size();
    });
  }

  bool is_placed() const {
    return std::any_of(members_.begin(), members_.end(), [&](const PlacedMember& member) {
      return member.at <= at_ && at_ - member.at < member.bytes;
    });
  }

  /// Bytes of a member from `offset` on: libzip takes 8 KiB at a time.
  std::string_view ahead_of(const PlacedMember& member, std::uint64_t offset) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20;
    const std::uint64_t from = member.at + offset;
    if (from < ahead_at_ || from - ahead_at_ >= ahead_.size()) {
      ahead_.resize(static_cast<std::size_t>(std::min(most, member.bytes - offset)));
      file_.read(from, ahead_);
      ahead_at_ = from;
    }
    return std::string_view(ahead_).substr(static_cast<std::size_t>(from - ahead_at_));
  }

  /// The bytes that `step` counts, or -1 where it throws.
  template <class Step>
  zip_int64_t guarded(const Step& step) {
    try {
      return static_cast<zip_int64_t>(step());
    } catch (...) {
      failure_ = std::current_exception();
      zip_error_set(&error_, ZIP_ER_INTERNAL, 0);
      return -1;
    }
  }

  AtomicFile& file_;
  const std::vector<PlacedMember>& members_;
  std::string ahead_{};
  std::uint64_t ahead_at_{0};
  std::uint64_t at_{0};
  std::uint64_t bytes_{0};
  zip_error_t error_{};
  std::exception_ptr failure_{};
};

/// A member as libzip reads it.
class PlacedSource {
 public:
  PlacedSource(const PlacedMember& member, FileTarget& target) : member_(member), target_(target) {}

  static zip_int64_t handle(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    return static_cast<PlacedSource*>(self)->handle(data, length, command);
  }

 private:
  zip_int64_t handle(void* data, zip_uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              -1);
      case ZIP_SOURCE_STAT: {
        auto* const status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->size = member_.bytes;
        status->valid |= ZIP_STAT_SIZE;
        return sizeof(zip_stat_t);
      }
      case ZIP_SOURCE_ERROR: {
        ZipError error;
        zip_error_set(error.get(), ZIP_ER_INTERNAL, 0);
        return zip_error_to_data(error.get(), data, length);
      }
      case ZIP_SOURCE_READ: {
        const zip_int64_t count = target_.read(member_, read_, static_cast<char*>(data), length);
        if (count > 0) read_ += static_cast<std::uint64_t>(count);
        return count;
      }
      case ZIP_SOURCE_OPEN:
        read_ = 0;
        return 0;
      default:
        return 0;
    }
  }

  const PlacedMember& member_;
  FileTarget& target_;
  std::uint64_t read_{0};
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

StoredZipFile::StoredZipFile(std::vector<PlacedMember> members) : members_(std::move(members)) {
  check_invariant(!members_.empty(), "an archive is made for at least one member");
  constexpr std::uint64_t zip64_bytes = 20;  // of its extra field in a local header, §4.5.3
  std::uint64_t at = 0;
  for (PlacedMember& member : members_) {
    at += local_bytes + member.name.size() + (member.bytes >= told_in_zip64 ? zip64_bytes : 0);
    member.at = at;
    at += member.bytes;
  }
}

void StoredZipFile::finish(AtomicFile& file) const {
  FileTarget to(file, members_);
  ZipError error;
  const Source target(zip_source_function_create(&FileTarget::handle, &to, error.get()),
                      &zip_source_free);
  require_made(target != nullptr);
  std::deque<PlacedSource> sources;  // libzip keeps pointers
  try {
    make_archive(target.get(), [&](zip_t* archive) {
      for (const PlacedMember& member : members_)
        add_stored(
            archive, member.name,
            zip_source_function(archive, &PlacedSource::handle, &sources.emplace_back(member, to)));
    });
  } catch (const std::bad_alloc&) {
    to.rethrow();
    throw;
  }
}

}  // namespace orrery
