#include "experiments/data/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/errors.h"
#include "experiments/data/zip_records.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

// The records of the zip format (APPNOTE 6.3.10, §4.3), by their fixed parts.
constexpr std::size_t entry_bytes = 46;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t zip64_locator_bytes = 20;
constexpr std::size_t zip64_end_bytes = 56;

[[noreturn]] void refuse(std::string_view name, std::string_view how) {
  throw DataError(name, how, "copy or download the file again");
}

/// Little-endian numbers at offsets of the file, checked against its end.
class Fields {
 public:
  Fields(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  std::uint64_t number(std::uint64_t at, std::size_t size) const {
    require(at, size);
    return number_at(bytes_, static_cast<std::size_t>(at), size);
  }
  bool has(std::uint64_t at, std::string_view signature) const {
    require(at, signature.size());
    return bytes_.substr(static_cast<std::size_t>(at), signature.size()) == signature;
  }
  void require_signature(std::uint64_t at, std::string_view signature) const {
    if (!has(at, signature)) refuse(name_, "is damaged: its zip directory does not match it");
  }
  std::string_view name() const { return name_; }
  /// A length small enough that no sum below overflows.
  std::uint64_t within(std::uint64_t length) const {
    if (length > bytes_.size()) refuse(name_, "is damaged: its zip directory leads beyond its end");
    return length;
  }

 private:
  void require(std::uint64_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size)
      refuse(name_, "is damaged: its zip directory leads beyond its end");
  }

  std::string_view bytes_;
  std::string_view name_;
};

struct Span {
  std::uint64_t begin{};
  std::uint64_t end{};
};

/// The directory, and the offset of the end records.
struct Directory {
  Span span{};
  std::uint64_t tail{};
};

Directory directory_of(const Fields& file, std::uint64_t record) {
  const std::uint64_t length = file.number(record + 12, 4);
  const std::uint64_t offset = file.number(record + 16, 4);
  if (length != told_in_zip64 && offset != told_in_zip64)
    return {{offset, offset + file.within(length)}, record};
  if (record < zip64_locator_bytes) refuse(file.name(), "is damaged: its Zip64 record is missing");
  const std::uint64_t locator = record - zip64_locator_bytes;
  file.require_signature(locator, zip64_locator_mark);
  const std::uint64_t end = file.number(locator + 8, 8);
  file.require_signature(end, zip64_end_mark);
  if (end + zip64_end_bytes != locator)
    refuse(file.name(), "has bytes left over between its zip directory and its end");
  const std::uint64_t begin = file.within(file.number(end + 48, 8));
  return {{begin, begin + file.within(file.number(end + 40, 8))}, end};
}

/// A member as its directory entry describes it.
struct Entry {
  std::uint64_t size{};    ///< compressed
  std::uint64_t offset{};  ///< of the local header
  std::uint64_t crc{};
  bool described{};  ///< whether CRC and sizes follow the member
  std::uint64_t next{};
  std::size_t number{};  ///< in the directory
};

/// The Zip64 values, which did not fit the entry's own fields, in the order of the format.
void take_zip64(const Fields& file, std::uint64_t at, std::uint64_t end, bool unpacked_too,
                Entry& entry) {
  for (; at < end; at += 4 + file.number(at + 2, 2)) {
    if (file.number(at, 2) != 1) continue;
    std::uint64_t value = at + 4 + (unpacked_too ? 8 : 0);
    if (entry.size == told_in_zip64) {
      entry.size = file.number(value, 8);
      value += 8;
    }
    if (entry.offset == told_in_zip64) entry.offset = file.number(value, 8);
    return;
  }
}

Entry entry_at(const Fields& file, std::uint64_t at) {
  file.require_signature(at, zip_entry_mark);
  const std::uint64_t extra = at + entry_bytes + file.number(at + 28, 2);
  const std::uint64_t comment = extra + file.number(at + 30, 2);
  constexpr std::uint64_t sizes_follow = 1 << 3;
  Entry entry{.size = file.number(at + 20, 4),
              .offset = file.number(at + 42, 4),
              .crc = file.number(at + 16, 4),
              .described = (file.number(at + 8, 2) & sizes_follow) != 0,
              .next = comment + file.number(at + 32, 2)};
  take_zip64(file, extra, comment, file.number(at + 24, 4) == told_in_zip64, entry);
  return entry;
}

/// Size of the record after a member's data: CRC-32 and two sizes of 4 or 8 bytes each, with or
/// without a signature. The start of the next member decides between 4 and 8.
bool is_descriptor(const Fields& file, std::uint64_t begin, std::uint64_t length,
                   const Entry& entry) {
  const bool marked = length == 16 || length == 24;
  if (!marked && length != 12 && length != 20) return false;
  if (marked && !file.has(begin, "PK\7\x08")) return false;
  return file.number(begin + (marked ? 4 : 0), 4) == entry.crc;
}

std::vector<Entry> entries_of(const Fields& file, const Span& directory) {
  std::vector<Entry> entries;
  std::uint64_t at = directory.begin;
  while (at < directory.end) {
    entries.push_back(entry_at(file, at));
    entries.back().number = entries.size() - 1;
    at = entries.back().next;
  }
  if (at != directory.end) refuse(file.name(), "is damaged: its zip directory does not match it");
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
  return entries;
}

std::uint64_t end_of_data(const Fields& file, const Entry& entry) {
  file.require_signature(entry.offset, zip_local_mark);
  return entry.offset + local_bytes + file.number(entry.offset + 26, 2) +
         file.number(entry.offset + 28, 2) + file.within(entry.size);
}

/// Whether a zip archive's end record is missing or not whole, as when the file was cut off.
bool lacks_zip_end(std::string_view bytes) {
  const std::size_t record = bytes.rfind(zip_end_mark);
  if (record == std::string_view::npos || bytes.size() - record < end_bytes) return true;
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[record + at]));
  };
  return bytes.size() - record < end_bytes + (byte(20) | byte(21) << 8);  // with its comment
}

/// Requires that a zip archive consists of its members, one after the other from the first byte on,
/// then its directory and its end records, without gaps and overlaps. libzip does not require that,
/// so bytes could be hidden there. Returns a view of the data of each member as it is packed, in
/// the directory's order.
/// @param comment_bytes  length of the archive's comment, which comes last
/// @param name  the archive's name in messages
/// Throws DataError: a gap, an overlap, or a directory that does not fit the file.
/// Cost: O(members · log members), independent of their content.
std::vector<std::string_view> packed_members(std::string_view bytes, std::size_t comment_bytes,
                                             std::string_view name) {
  const Fields file(bytes, name);
  if (bytes.size() < end_bytes + comment_bytes) refuse(name, "is cut off");
  const Directory directory = directory_of(file, bytes.size() - end_bytes - comment_bytes);
  if (directory.span.end != directory.tail)
    refuse(name, "has bytes left over between its zip directory and its end");
  const std::vector<Entry> entries = entries_of(file, directory.span);
  std::vector<std::string_view> packed(entries.size());
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const std::uint64_t next =
        i + 1 < entries.size() ? entries[i + 1].offset : directory.span.begin;
    if (entry.offset != end) refuse(name, "has bytes left over before its first member");
    const std::uint64_t data_end = end_of_data(file, entry);
    end = data_end;
    if (end > next) refuse(name, "is damaged: two of its members share bytes");
    const bool fits = entry.described ? is_descriptor(file, end, next - end, entry) : end == next;
    if (!fits) refuse(name, fmt::format("has {} bytes left over after a member", next - end));
    packed[entry.number] = bytes.substr(static_cast<std::size_t>(data_end - entry.size),
                                        static_cast<std::size_t>(entry.size));
    end = next;
  }
  if (end != directory.span.begin) refuse(name, "has bytes left over before its zip directory");
  return packed;
}

constexpr std::string_view again = "copy or download the file again";

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;

  zip_error_t* get() { return &error_; }
  int code() const { return zip_error_code_zip(&error_); }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_{};
};

/// Null when it cannot be opened, with the reason in `error`.
zip_t* open(std::string_view bytes, int flags, ZipError& error) {
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  if (source == nullptr) return nullptr;
  zip_t* const archive = zip_open_from_source(source, ZIP_RDONLY | flags, error.get());
  if (archive == nullptr) zip_source_free(source);
  return archive;
}

/// Whether libzip found the directory, or its end, other than it has to be: which of these it says
/// for the same file differs from version to version.
bool finds_no_directory(int code) {
#ifdef ZIP_ER_TRUNCATED_ZIP  // since libzip 1.11
  if (code == ZIP_ER_TRUNCATED_ZIP) return true;
#endif
  return code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS || code == ZIP_ER_NOENT;
}

DataError refused(std::string_view bytes, std::string_view name, ZipError& error) {
  if (finds_no_directory(error.code()))
    return DataError(name,
                     lacks_zip_end(bytes)
                         ? "is cut off or damaged: there is no zip directory at its end"
                         : "is damaged or has surplus bytes: its zip directory does not match it",
                     again);
  return DataError(name, fmt::format("is not a zip archive that can be read ({})", error.text()),
                   again);
}

ZipArchive::Member member_at(zip_t* archive, zip_uint64_t index, std::string_view name) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(archive, index, 0, &status) != 0 || status.name == nullptr)
    throw DataError(name, "is damaged: its zip directory does not describe every member", again);
  return {.name = status.name,
          .bytes = status.size,
          .method = status.comp_method,
          .encrypted = status.encryption_method != ZIP_EM_NONE};
}

std::vector<ZipArchive::Member> members_of(zip_t* archive, std::string_view name) {
  std::vector<ZipArchive::Member> members;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i)
    members.push_back(member_at(archive, static_cast<zip_uint64_t>(i), name));
  return members;
}

DataError damaged(std::string_view label, std::string_view how) {
  return DataError(label, fmt::format("is damaged: {}", how), again);
}

DataError damaged(std::string_view label, zip_error_t* error) {
  if (zip_error_code_zip(error) == ZIP_ER_CRC)
    return damaged(label, "its CRC-32 differs from the stored one");
  return damaged(label, fmt::format("it cannot be unpacked ({})", zip_error_strerror(error)));
}

using MemberFile = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }

ZipArchive::ZipArchive(std::string_view bytes, std::string_view name,
                       const std::function<void(const Member&)>& require_readable) {
  // libzip accepts zero bytes as an empty archive, and newer versions skip bytes before the first
  // member.
  if (!bytes.starts_with("PK"))
    throw DataError(name, "is not a zip archive (it does not begin with PK)",
                    "save the arrays with numpy.savez");
  ZipError error;
  zip_.reset(open(bytes, ZIP_CHECKCONS, error));
  const bool consistent = zip_ != nullptr;
  if (!consistent) {  // only for the message
    ZipError ignored;
    zip_.reset(open(bytes, 0, ignored));
  }
  if (!zip_) throw refused(bytes, name, error);
  members_ = members_of(zip_.get(), name);
  std::set<std::string_view> seen;
  for (const Member& member : members_)
    if (!seen.insert(member.name).second)
      throw DataError(name, fmt::format("has two members {}", in_quotes(member.name)),
                      "save every array under a name of its own");
  if (require_readable) std::for_each(members_.begin(), members_.end(), require_readable);
  if (!consistent) throw refused(bytes, name, error);
  int comment = 0;
  zip_get_archive_comment(zip_.get(), &comment, ZIP_FL_ENC_RAW);
  packed_ = packed_members(bytes, static_cast<std::size_t>(std::max(comment, 0)), name);
}

std::string ZipArchive::read(std::size_t index, std::string_view label) const {
  std::string bytes;
  unpack(index, label, [&](std::string_view block) { bytes.append(block); });
  return bytes;
}

std::string ZipArchive::beginning(std::size_t index, std::string_view label,
                                  std::size_t most) const {
  const MemberFile file(zip_fopen_index(zip_.get(), index, 0), &zip_fclose);
  if (!file) throw damaged(label, zip_get_error(zip_.get()));
  std::string bytes(most, '\0');
  std::size_t read = 0;
  while (read < bytes.size()) {
    const zip_int64_t count = zip_fread(file.get(), bytes.data() + read, bytes.size() - read);
    if (count < 0) throw damaged(label, zip_file_get_error(file.get()));
    if (count == 0) break;
    read += static_cast<std::size_t>(count);
  }
  bytes.resize(read);
  return bytes;
}

std::optional<std::string_view> ZipArchive::stored(std::size_t index,
                                                   std::string_view label) const {
  const Member& member = members_.at(index);
  if (member.method != zip_stored || packed_.at(index).size() != member.bytes) return std::nullopt;
  unpack(index, label, [](std::string_view) {});
  return packed_.at(index);
}

void ZipArchive::unpack(std::size_t index, std::string_view label, const TakeBytes& take) const {
  const MemberFile file(zip_fopen_index(zip_.get(), index, 0), &zip_fclose);
  if (!file) throw damaged(label, zip_get_error(zip_.get()));
  const std::uint64_t declared = members_.at(index).bytes;
  std::uint64_t unpacked = 0;
  std::array<char, 1 << 16> block{};
  for (;;) {
    const zip_int64_t count = zip_fread(file.get(), block.data(), block.size());
    if (count < 0) throw damaged(label, zip_file_get_error(file.get()));
    // libzip compares the CRC-32 on reading the end, so the end is read too.
    if (count == 0) break;
    unpacked += static_cast<std::uint64_t>(count);
    if (unpacked > declared) break;
    take({block.data(), static_cast<std::size_t>(count)});
  }
  if (unpacked != declared)
    throw damaged(label, fmt::format("it declares {} bytes and unpacks to {}", declared,
                                     unpacked > declared ? "more" : "fewer"));
}

}  // namespace orrery
